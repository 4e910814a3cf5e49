import type { Rule } from './rule.ts';

/** The buyer is the affiliate. */
export const selfReferral: Rule = {
  name: 'self_referral',
  type: 'self_referral',
  find({ isOwnClick, buyerEmail, affiliate }) {
    // First, because addresses may be unreadable.
    if (isOwnClick) return { reason: 'click_in_browser_of_affiliate' };
    return buyerEmail !== null && affiliate.emails().has(buyerEmail) ? { reason: 'buyer_has_email_of_affiliate' } : null;
  },
};
