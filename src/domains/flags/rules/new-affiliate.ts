import type { Rule } from './rule.ts';

/** The program wants a person to look at every conversion of an affiliate that is not trusted yet. */
export const newAffiliate: Rule = {
  name: 'new_affiliate',
  type: 'manual_review',
  find: ({ reviewNewAffiliates, affiliate }) => (reviewNewAffiliates && affiliate.isNew ? { reason: 'new_affiliate' } : null),
};
