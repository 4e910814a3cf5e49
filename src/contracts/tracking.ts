export const CLICK_STATUSES = ['ok', 'ignored'] as const;

/** Why a click was not counted. */
export const CLICK_REASONS = ['UNKNOWN_CODE', 'PROGRAM_INACTIVE', 'AFFILIATE_BLOCKED', 'CONSENT_REQUIRED', 'BOT'] as const;
export type ClickReason = (typeof CLICK_REASONS)[number];
