export const FLAG_TYPES = [
  'suspicious_activity',
  'self_referral',
  'high_click_frequency',
  'conversion_anomaly',
  'manual_review',
] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** How a flag can be resolved: `confirmed` rejects what it holds, the others release it. */
export const FLAG_RESOLUTIONS = ['reviewed', 'dismissed', 'confirmed'] as const;
export type FlagResolution = (typeof FLAG_RESOLUTIONS)[number];

export const FLAG_STATUSES = ['open', ...FLAG_RESOLUTIONS] as const;
export type FlagStatus = (typeof FLAG_STATUSES)[number];

/** What happens to a flag that nobody resolves in time. */
export const FLAG_DEADLINE_ACTIONS = ['keep_open', 'confirm', 'dismiss'] as const;
export type FlagDeadlineAction = (typeof FLAG_DEADLINE_ACTIONS)[number];

/** How a deadline resolves a flag; null: it does not. */
export const RESOLUTION_OF_DEADLINE: Readonly<Record<FlagDeadlineAction, FlagResolution | null>> = {
  keep_open: null,
  confirm: 'confirmed',
  dismiss: 'dismissed',
};

/** What was found. Grows with each finding: the first and the newest ones are kept. */
export interface FlagDetails {
  evidenceCount: number;
  evidence: Record<string, unknown>[];
}
