import { isbot } from 'isbot';
import { isDisposableDomain } from '../../../platform/email.ts';
import type { Evidence, Rule } from './rule.ts';

/** The buyer does not look like a person who followed a link. */
export const suspiciousActivity: Rule = {
  name: 'suspicious_activity',
  type: 'suspicious_activity',
  find({ userAgent, buyerEmailDomain, secondsAfterClick }, limits): Evidence | null {
    if (userAgent !== null && isbot(userAgent)) return { reason: 'bot_user_agent' };
    if (buyerEmailDomain !== null && isDisposableDomain(buyerEmailDomain)) return { reason: 'disposable_email' };
    if (secondsAfterClick === null || secondsAfterClick < 0 || secondsAfterClick >= limits.secondsAfterClick) return null;
    return { reason: 'sale_right_after_click', secondsAfterClick };
  },
};
