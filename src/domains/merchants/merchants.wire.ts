import { z } from 'zod';
import { PAYMENT_STATUSES } from '../../contracts/billing.ts';
import { FLAG_DEADLINE_ACTIONS } from '../../contracts/flags.ts';
import { MAX_DETAILS_COOLDOWN_HOURS } from '../../contracts/limits.ts';
import type { NotificationName } from '../../contracts/notifications.ts';
import { BILLING_REQUIREMENTS, BILLING_TIERS, type BillingRequirement } from '../../contracts/programs.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { amountMinor, country, line, storedUuid, timestamp, trackingParameters, webUrl } from '../../platform/http/schemas.ts';
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
    id: storedUuid,
    userId: storedUuid,
    companyName: z.string(),
    logoUrl: z.string().nullable(),
    country: z.string().nullable(),
    addressLine1: z.string().nullable(),
    addressLine2: z.string().nullable(),
    city: z.string().nullable(),
    state: z.string().nullable(),
    postalCode: z.string().nullable(),
    vatId: z.string().nullable(),
    taxId: z.string().nullable(),
    billingTier: z.enum(BILLING_TIERS),
    billingRequirementStatus: z.enum(BILLING_REQUIREMENTS),
    paymentStatus: z.enum(PAYMENT_STATUSES),
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

export const updateMerchantBody = z
  .strictObject({
    companyName: line(100),
    logoUrl: webUrl.nullable(),
    country: country.nullable(),
    addressLine1: line(200).nullable(),
    addressLine2: line(200).nullable(),
    city: line(100).nullable(),
    state: line(100).nullable(),
    postalCode: line(20).nullable(),
    vatId: line(32).nullable(),
    taxId: line(32).nullable(),
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be an IANA time zone')
      .meta({ override: { pattern: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$' } }),
    defaultCookieDuration: z.int().min(1).max(365),
    defaultPayoutThreshold: z.int().min(1_000).max(100_000).meta({ description: 'Integer minor units (cents)' }),
    trackingRequiresConsent: z.boolean(),
    trackingParamAliases: trackingParameters,
    flagReviewDays: z.int().min(1).max(90),
    flagDeadlineAction: z.enum(FLAG_DEADLINE_ACTIONS),
    detailsCooldownHours: z.int().min(0).max(MAX_DETAILS_COOLDOWN_HOURS),
  })
  .partial();

/** A merchant as an entity or as a row. */
export type StoredMerchant = Stored<
  Omit<MerchantView, 'billingRequirementStatus'>,
  'lastPaymentFailedAt' | 'createdAt' | 'updatedAt'
>;

export const toMerchant = (merchant: StoredMerchant, requirement: BillingRequirement): MerchantView => ({
  id: merchant.id,
  userId: merchant.userId,
  companyName: merchant.companyName,
  logoUrl: merchant.logoUrl ?? null,
  country: merchant.country ?? null,
  addressLine1: merchant.addressLine1 ?? null,
  addressLine2: merchant.addressLine2 ?? null,
  city: merchant.city ?? null,
  state: merchant.state ?? null,
  postalCode: merchant.postalCode ?? null,
  vatId: merchant.vatId ?? null,
  taxId: merchant.taxId ?? null,
  billingTier: merchant.billingTier,
  billingRequirementStatus: requirement,
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
