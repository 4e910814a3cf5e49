/** What a merchant may switch on and off, with the value before any change. */
export const NOTIFICATION_DEFAULTS = {
  newAffiliate: true,
  newConversion: true,
  commissionApproved: true,
  payoutProcessed: true,
  weeklyDigest: false,
} as const;

export type NotificationName = keyof typeof NOTIFICATION_DEFAULTS;
export type NotificationPreferences = Record<NotificationName, boolean>;
