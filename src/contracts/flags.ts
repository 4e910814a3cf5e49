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
