export const CONVERSION_STATUSES = ['pending', 'approved', 'partially_refunded', 'rejected', 'refunded'] as const;
export type ConversionStatus = (typeof CONVERSION_STATUSES)[number];

export const ATTRIBUTION_METHODS = ['cookie', 'coupon', 'metadata'] as const;
export type AttributionMethod = (typeof ATTRIBUTION_METHODS)[number];

/** What decided on the affiliate of a sale, strongest first; `manual` is an attribution by a person. */
export const ATTRIBUTION_RULES = [
  'coupon',
  'click',
  'referral_code',
  'subscription',
  'customer',
  'identification',
  'manual',
] as const;
export type AttributionRule = (typeof ATTRIBUTION_RULES)[number];

/** Why evidence of a sale did not decide: a stronger rule did, or it leads to no affiliate. */
export const EVIDENCE_RESULTS = ['not_needed', 'no_match'] as const;
export type EvidenceResult = (typeof EVIDENCE_RESULTS)[number];

/** Why a sale was credited to no affiliate. */
export const UNATTRIBUTED_REASONS = [
  'NO_MATCH',
  'PROGRAM_INACTIVE',
  'AFFILIATE_BLOCKED',
  'AFFILIATE_ERASED',
  'BEFORE_AFFILIATE_JOINED',
  'NOT_FIRST_PAYMENT',
  'LIMIT_REACHED',
  'FIRST_PAYMENT_SETTLED',
  'PROGRAM_UNKNOWN',
  'OTHER_CURRENCY',
] as const;
export type UnattributedReason = (typeof UNATTRIBUTED_REASONS)[number];

/** Why an unpaid commission was taken back without a refund. */
export const REJECTION_REASONS = ['NOT_FIRST_PAYMENT', 'LIMIT_REACHED', 'FLAG_CONFIRMED', 'PROGRAM_UNKNOWN'] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Why an unpaid commission is neither approved nor paid for now, what counts first. */
export const HOLD_KINDS = ['dispute', 'flag', 'block', 'screening'] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

/** Kinds of manual adjustments: a bonus adds, a clawback deducts, a correction does either. */
export const ADJUSTMENT_KINDS = ['bonus', 'clawback', 'correction'] as const;
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number];

/** `awaiting_approval`: nothing is booked before a second actor approves it. */
export const ADJUSTMENT_STATUSES = ['awaiting_approval', 'booked', 'cancelled', 'expired'] as const;
export type AdjustmentStatus = (typeof ADJUSTMENT_STATUSES)[number];

/** Lines of an affiliate's earnings: a commission or a manual adjustment. */
export const EARNING_TYPES = ['commission', ...ADJUSTMENT_KINDS] as const;

/** `paid`: in a completed payout. */
export const EARNING_STATUSES = [...CONVERSION_STATUSES, 'paid'] as const;

/** Whether a customer has paid. */
export const CUSTOMER_STATUSES = ['lead', 'customer'] as const;
export type CustomerStatus = (typeof CUSTOMER_STATUSES)[number];

/** What names a customer: an id of a payment system, or the keyed hash of a mailbox. */
export const CUSTOMER_IDENTITY_KINDS = ['id', 'mailbox'] as const;

export const SALE_EVENT_TYPES = [
  'sale.completed',
  'sale.refunded',
  'customer.identified',
  'sale.refund_reversed',
  'sale.disputed',
  'sale.dispute_closed',
] as const;
/** Where sales come from. */
export const SALE_PROVIDERS = ['events', 'stripe'] as const;
export type SaleProvider = (typeof SALE_PROVIDERS)[number];

/** `closed`: without a loss. */
export const DISPUTE_STATUSES = ['opened', 'lost', 'closed'] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

export const SALE_OUTCOMES = ['recorded', 'duplicate', 'unattributed', 'waiting'] as const;
export type SaleOutcome = (typeof SALE_OUTCOMES)[number];

/** Why a person has to look at an event of a payment system. */
export const SALE_PROBLEMS = [
  'UNREADABLE',
  'PAYLOAD_MISMATCH',
  'REJECTED',
  'BEFORE_SALE',
  'OTHER_CURRENCY',
  'UNUSABLE_FIELDS',
  'PROGRAM_UNKNOWN',
  'NOT_RECORDED',
] as const;
export type SaleProblemReason = (typeof SALE_PROBLEMS)[number];

export const STRIPE_OUTCOMES = [...SALE_OUTCOMES, 'ignored', 'needs_review'] as const;
export type StripeOutcome = (typeof STRIPE_OUTCOMES)[number];

export const PERIODS = ['7d', '30d', '90d', 'all'] as const;
export type Period = (typeof PERIODS)[number];
