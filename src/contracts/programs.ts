export const PROGRAM_STATUSES = ['active', 'paused', 'archived'] as const;
export type ProgramStatus = (typeof PROGRAM_STATUSES)[number];

export const COMMISSION_TYPES = ['one_time', 'recurring', 'recurring_limited'] as const;
export type CommissionType = (typeof COMMISSION_TYPES)[number];

export const MARKETPLACE_STATUSES = ['private', 'draft', 'public'] as const;
export type MarketplaceStatus = (typeof MARKETPLACE_STATUSES)[number];

export const APPLICATION_ACCESS = ['open', 'invite_only'] as const;
export const PAYOUT_FREQUENCIES = ['weekly', 'monthly', 'quarterly'] as const;
export type PayoutFrequency = (typeof PAYOUT_FREQUENCIES)[number];

/** Payout runs that are drafted by the payout frequency. */
export interface AutoPayouts {
  enabled: boolean;
  /** Otherwise a draft confirms itself. */
  requireConfirmation: boolean;
}
export const NO_AUTO_PAYOUTS: AutoPayouts = { enabled: false, requireConfirmation: true };

export const READINESS = ['setup', 'partial', 'ready'] as const;
export type Readiness = (typeof READINESS)[number];

export const BILLING_TIERS = ['free', 'starter', 'growth', 'pro'] as const;
export type BillingTier = (typeof BILLING_TIERS)[number];

export const BILLING_REQUIREMENTS = ['not_required', 'required', 'grace_period', 'restricted', 'active'] as const;
export type BillingRequirement = (typeof BILLING_REQUIREMENTS)[number];

/** In the place of a program's id: all programs of the merchant together. */
export const ALL_PROGRAMS = '00000000-0000-0000-0000-000000000000';
