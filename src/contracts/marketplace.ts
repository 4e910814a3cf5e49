export const MARKETPLACE_SORTS = ['epc', 'conversionRate', 'commission', 'newest'] as const;
export type MarketplaceSort = (typeof MARKETPLACE_SORTS)[number];
