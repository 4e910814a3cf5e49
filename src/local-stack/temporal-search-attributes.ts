/** What finance can search payouts by in the Temporal UI. The words are those of Temporal's own CLI. */
export const TEMPORAL_SEARCH_ATTRIBUTES = {
  MerchantId: 'Keyword',
  ProgramId: 'Keyword',
  AffiliateId: 'Keyword',
  State: 'Keyword',
  Rail: 'Keyword',
  Currency: 'Keyword',
  AmountMinor: 'Int',
  NeedsAttention: 'Bool',
  DueAt: 'Datetime',
} as const satisfies Record<string, SearchAttributeType>;

export type SearchAttributeType = 'Keyword' | 'Int' | 'Bool' | 'Datetime';
