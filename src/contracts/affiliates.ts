export const AFFILIATE_STATUSES = ['approved', 'blocked'] as const;
export type AffiliateStatus = (typeof AFFILIATE_STATUSES)[number];

/** How an affiliate joined a program. */
export const SOURCES = ['browser', 'api', 'mcp', 'invite', 'import'] as const;
export type Source = (typeof SOURCES)[number];

export const PAYOUT_METHODS = ['paypal', 'bank_transfer'] as const;
export type PayoutMethod = (typeof PAYOUT_METHODS)[number];
