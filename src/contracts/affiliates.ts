export const AFFILIATE_STATUSES = ['approved', 'blocked'] as const;
export type AffiliateStatus = (typeof AFFILIATE_STATUSES)[number];

/** Matches a code in lower case, of an affiliate or of a link. */
export const REFERRAL_CODE = /^[a-z0-9_-]{3,50}$/;

/** How far an affiliate is trusted, from the lowest tier to the highest. */
export const TRUST_TIERS = ['new', 'trusted', 'verified'] as const;
export type TrustTier = (typeof TRUST_TIERS)[number];

/** What earns a tier: days since joining or since trust was lost, and conversions approved in them. */
export const TRUST_RECORDS = { trusted: { days: 60, conversions: 20 }, verified: { days: 180, conversions: 100 } } as const;

/** How an affiliate joined a program. */
export const SOURCES = ['browser', 'api', 'mcp', 'invite', 'import'] as const;
export type Source = (typeof SOURCES)[number];

export const PAYOUT_METHODS = ['paypal', 'bank_transfer'] as const;
export type PayoutMethod = (typeof PAYOUT_METHODS)[number];
