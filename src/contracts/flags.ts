export const FLAG_TYPES = [
  'suspicious_activity',
  'self_referral',
  'high_click_frequency',
  'conversion_anomaly',
  'manual_review',
] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

export const FLAG_STATUSES = ['open', 'reviewed', 'dismissed', 'confirmed'] as const;
export type FlagStatus = (typeof FLAG_STATUSES)[number];

/** What happens to a flag that nobody resolves in time. */
export const FLAG_DEADLINE_ACTIONS = ['keep_open', 'confirm', 'dismiss'] as const;
export type FlagDeadlineAction = (typeof FLAG_DEADLINE_ACTIONS)[number];

/** What was found. Grows with each finding: the first and the newest ones are kept. */
export interface FlagDetails {
  evidenceCount: number;
  evidence: readonly Readonly<Record<string, unknown>>[];
}
