import { NOTIFICATION_DEFAULTS, type NotificationPreferences } from '../../contracts/notifications.ts';
import type { MerchantView } from './merchants.wire.ts';

export const merchantExample: MerchantView = {
  id: '0198f1c2-6f01-7a55-b1d4-0c8e92f7a310',
  userId: '0198f1c2-6f00-7c9a-8d21-7be4a1905f22',
  companyName: 'Acme',
  logoUrl: null,
  country: null,
  addressLine1: null,
  addressLine2: null,
  city: null,
  state: null,
  postalCode: null,
  vatId: null,
  taxId: null,
  billingTier: 'free',
  billingRequirementStatus: 'not_required',
  paymentStatus: 'active',
  lastPaymentFailedAt: null,
  defaultCookieDuration: 30,
  defaultPayoutThreshold: 5000,
  timezone: 'UTC',
  trackingRequiresConsent: false,
  trackingParamAliases: [],
  flagReviewDays: 14,
  flagDeadlineAction: 'keep_open',
  detailsCooldownHours: 0,
  payoutDailyLimit: { usd: 500_000 },
  payoutApprovalThreshold: { usd: 100_000 },
  payoutRails: { paypal: null, bank_transfer: 'manual' },
  paymentPrefix: 'ACM',
  notificationPreferences: null,
  onboardingCompleted: false,
  onboardingStep: 1,
  createdAt: '2026-01-15T09:30:00.000Z',
  updatedAt: '2026-01-15T09:30:00.000Z',
};

export const updatedMerchantExample = {
  data: { ...merchantExample, country: 'DE', vatId: 'DE136695976', timezone: 'Europe/Berlin' },
  body: { country: 'DE', vatId: 'DE136695976', timezone: 'Europe/Berlin' },
};

export const notificationPreferencesExample: NotificationPreferences = { ...NOTIFICATION_DEFAULTS, weeklyDigest: true };

export const updatedNotificationPreferencesExample = {
  data: notificationPreferencesExample,
  body: { weeklyDigest: true },
};
