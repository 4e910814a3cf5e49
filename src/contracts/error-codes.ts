/** The error table of the specification, section 7. No other codes or statuses are used under /api/v1. */
export const ERRORS = {
  BAD_REQUEST: { status: 400, meaning: 'Invalid request parameters or body' },
  UNAUTHORIZED: { status: 401, meaning: 'Missing or invalid API key' },
  FORBIDDEN: { status: 403, meaning: 'Not allowed to access this resource' },
  INSUFFICIENT_SCOPE: { status: 403, meaning: 'Key missing a required scope' },
  NOT_FOUND: { status: 404, meaning: 'Resource not found' },
  CONFLICT: { status: 409, meaning: 'Operation conflicts with existing data' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, meaning: 'Idempotency key used with different input' },
  VALIDATION_ERROR: { status: 422, meaning: 'Request body fails validation' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests' },
  INTERNAL_ERROR: { status: 500, meaning: 'Server-side failure' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** `error.details.reason`: stable codes that callers may switch on. */
export const REASONS = [
  'AFFILIATE_BLOCKED',
  'ALREADY_ATTRIBUTED',
  'ALREADY_RETRIED',
  'ATTEMPT_STARTED',
  'BELOW_THRESHOLD',
  'BODY_NOT_ALLOWED',
  'BODY_TOO_LARGE',
  'CODE_TAKEN',
  'CURRENCY_LOCKED',
  'DETAILS_JUST_CHANGED',
  'ENDPOINT_DISABLED',
  'IDEMPOTENCY_IN_PROGRESS',
  'ILLEGAL_TRANSITION',
  'NOTHING_PAYABLE',
  'NOTHING_TO_RESOLVE',
  'NOT_FAILED',
  'NOT_PROCESSING',
  'ONBOARDING_PROGRAM_EXISTS',
  'OTHER_CURRENCY',
  'OVERLOADED',
  'PAYLOAD_MISMATCH',
  'PAYOUTS_PAUSED',
  'PAYOUT_DETAILS_MISSING',
  'PAYOUT_IN_FLIGHT',
  'PORTAL_SLUG_TAKEN',
  'RAIL_ACCEPTED',
  'RAIL_NOT_MANUAL',
  'REFUND_EXCEEDS_SALE',
  'SALE_REFUNDED',
  'STRIPE_NOT_CONFIGURED',
  'TOO_MANY_ADJUSTMENTS',
  'TOO_MANY_COUPONS',
  'TOO_MANY_ENDPOINTS',
  'TOO_MANY_KEYS',
  'TOO_MANY_LINKS',
  'TOO_OLD',
  'UNRESOLVED_PAYOUT',
] as const;

export type Reason = (typeof REASONS)[number];
