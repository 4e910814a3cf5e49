/** Name of a query parameter that carries a referral code. */
export const TRACKING_PARAMETER = /^[a-z0-9_-]{1,32}$/;
export const MAX_TRACKING_PARAMETERS = 10;

export const CLICK_STATUSES = ['ok', 'ignored'] as const;

/** Why a click was not counted. */
export const CLICK_REASONS = [
  'UNKNOWN_CODE',
  'PROGRAM_INACTIVE',
  'AFFILIATE_BLOCKED',
  'AFFILIATE_ERASED',
  'LINK_INACTIVE',
  'CONSENT_REQUIRED',
  'BOT',
] as const;
export type ClickReason = (typeof CLICK_REASONS)[number];

/** What is missing before sales are credited, in the order in which to fix it. */
export const TRACKING_WARNINGS = [
  'PROGRAM_INACTIVE',
  'WEBSITE_MISSING',
  'SCRIPT_NOT_SEEN',
  'NO_AFFILIATES',
  'NO_CLICKS',
  'NO_PAYMENT_SOURCE',
  'EVENT_SECRET_UNUSED',
  'NO_SALES',
] as const;
export type TrackingWarning = (typeof TRACKING_WARNINGS)[number];
