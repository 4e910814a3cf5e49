import { z } from 'zod';
import { FLAG_DEADLINE_ACTIONS } from '../../contracts/flags.ts';
import { MAX_DETAILS_COOLDOWN_HOURS } from '../../contracts/limits.ts';
import type { NotificationName } from '../../contracts/notifications.ts';
import { BILLING_REQUIREMENTS } from '../../contracts/programs.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { amountMinor, line, timestamp, uuid, webUrl } from '../../platform/http/schemas.ts';
import { isTimeZone } from './time-zone.ts';

const preferences = {
  newAffiliate: z.boolean(),
  newConversion: z.boolean(),
  commissionApproved: z.boolean(),
  payoutProcessed: z.boolean(),
  weeklyDigest: z.boolean(),
} satisfies Record<NotificationName, z.ZodType>;

export const notificationPreferencesSchema = z.object(preferences).meta({ id: 'NotificationPreferences' });

export const notificationPreferencesBody = z.strictObject(preferences).partial();

export const merchantSchema = z
  .object({
    id: uuid,
    userId: uuid,
    companyName: z.string(),
    logoUrl: z.string().nullable(),
    billingTier: z.string(),
    billingRequirementStatus: z.enum(BILLING_REQUIREMENTS),
    paymentStatus: z.string(),
    lastPaymentFailedAt: timestamp.nullable(),
    defaultCookieDuration: z.int().meta({ description: 'Days' }),
    defaultPayoutThreshold: amountMinor,
    timezone: z.string().meta({ description: 'IANA time zone' }),
    trackingRequiresConsent: z.boolean(),
    trackingParamAliases: z.array(z.string()),
    flagReviewDays: z.int(),
    flagDeadlineAction: z.enum(FLAG_DEADLINE_ACTIONS),
    detailsCooldownHours: z.int(),
    notificationPreferences: notificationPreferencesSchema.nullable(),
    onboardingCompleted: z.boolean(),
    onboardingStep: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Merchant' });

export type MerchantView = z.infer<typeof merchantSchema>;

const paramName = z.string().regex(/^[a-z0-9_-]{1,32}$/, 'must be 1 to 32 characters from a-z, 0-9, _ and -');

export const updateMerchantBody = z
  .strictObject({
    companyName: line(100),
    logoUrl: webUrl.nullable(),
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be an IANA time zone')
      .meta({ override: { pattern: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$' } }),
    defaultCookieDuration: z.int().min(1).max(365),
    defaultPayoutThreshold: z.int().min(1_000).max(100_000).meta({ description: 'Integer minor units (cents)' }),
    trackingRequiresConsent: z.boolean(),
    trackingParamAliases: z.array(paramName).max(10),
    flagReviewDays: z.int().min(1).max(90),
    flagDeadlineAction: z.enum(FLAG_DEADLINE_ACTIONS),
    detailsCooldownHours: z.int().min(0).max(MAX_DETAILS_COOLDOWN_HOURS),
  })
  .partial();

/** A merchant as an entity or as a row. */
export type StoredMerchant = Stored<MerchantView, 'lastPaymentFailedAt' | 'createdAt' | 'updatedAt'>;

export const toMerchant = (merchant: StoredMerchant): MerchantView => ({
  id: merchant.id,
  userId: merchant.userId,
  companyName: merchant.companyName,
  logoUrl: merchant.logoUrl ?? null,
  billingTier: merchant.billingTier,
  billingRequirementStatus: merchant.billingRequirementStatus,
  paymentStatus: merchant.paymentStatus,
  lastPaymentFailedAt: toIsoOrNull(merchant.lastPaymentFailedAt),
  defaultCookieDuration: merchant.defaultCookieDuration,
  defaultPayoutThreshold: merchant.defaultPayoutThreshold,
  timezone: merchant.timezone,
  trackingRequiresConsent: merchant.trackingRequiresConsent,
  trackingParamAliases: merchant.trackingParamAliases,
  flagReviewDays: merchant.flagReviewDays,
  flagDeadlineAction: merchant.flagDeadlineAction,
  detailsCooldownHours: merchant.detailsCooldownHours,
  notificationPreferences: merchant.notificationPreferences ?? null,
  onboardingCompleted: merchant.onboardingCompleted,
  onboardingStep: merchant.onboardingStep,
  createdAt: toIso(merchant.createdAt),
  updatedAt: toIso(merchant.updatedAt),
});
