import type { FlagType } from './flags.ts';

/** What an affiliate is suspected of, in words. */
export const FLAG_LABELS: Readonly<Record<FlagType, string>> = {
  suspicious_activity: 'suspicious activity',
  self_referral: 'self-referral',
  high_click_frequency: 'high click frequency',
  conversion_anomaly: 'unusual conversions',
  manual_review: 'manual review',
};
