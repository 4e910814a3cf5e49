import type { Rule } from './rule.ts';

/** The buyer is the affiliate. */
export const selfReferral: Rule = {
  name: 'self_referral',
  type: 'self_referral',
  find: ({ buyerEmail, affiliate }) =>
    buyerEmail !== null && affiliate.emails().has(buyerEmail) ? { reason: 'buyer_has_email_of_affiliate' } : null,
};
