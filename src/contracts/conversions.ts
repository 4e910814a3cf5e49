export const CONVERSION_STATUSES = ['pending', 'approved', 'partially_refunded', 'rejected', 'refunded'] as const;
export type ConversionStatus = (typeof CONVERSION_STATUSES)[number];

export const ATTRIBUTION_METHODS = ['cookie', 'coupon', 'metadata'] as const;
export type AttributionMethod = (typeof ATTRIBUTION_METHODS)[number];

/** Why a sale was credited to no affiliate. */
export const UNATTRIBUTED_REASONS = [
  'NO_MATCH',
  'PROGRAM_INACTIVE',
  'AFFILIATE_BLOCKED',
  'BEFORE_AFFILIATE_JOINED',
  'NOT_FIRST_PAYMENT',
  'LIMIT_REACHED',
  'FIRST_PAYMENT_SETTLED',
] as const;
export type UnattributedReason = (typeof UNATTRIBUTED_REASONS)[number];

/** Why a pending commission was taken back without a refund. */
export const REJECTION_REASONS = ['NOT_FIRST_PAYMENT'] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Kinds of manual adjustments: a bonus adds, a clawback deducts, a correction does either. */
export const ADJUSTMENT_KINDS = ['bonus', 'clawback', 'correction'] as const;
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number];

export const SALE_EVENT_TYPES = ['sale.completed', 'sale.refunded'] as const;
export const SALE_OUTCOMES = ['recorded', 'duplicate', 'unattributed', 'waiting'] as const;
export type SaleOutcome = (typeof SALE_OUTCOMES)[number];

export const PERIODS = ['7d', '30d', '90d', 'all'] as const;
export type Period = (typeof PERIODS)[number];
