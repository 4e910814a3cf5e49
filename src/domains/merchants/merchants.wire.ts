import { z } from 'zod';
import { PAYMENT_STATUSES } from '../../contracts/billing.ts';
import { FLAG_DEADLINE_ACTIONS } from '../../contracts/flags.ts';
import { MAX_DETAILS_COOLDOWN_HOURS } from '../../contracts/limits.ts';
import type { NotificationName } from '../../contracts/notifications.ts';
import { PAYMENT_PREFIX } from '../../contracts/payment-references.ts';
import { BILLING_REQUIREMENTS, BILLING_TIERS, type BillingRequirement } from '../../contracts/programs.ts';
import { type PayoutRails, RAIL_NAME } from '../../contracts/rails.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { companyName, createdAt, id, updatedAt, userId } from '../../platform/http/fields.ts';
import {
  amountMinor,
  amountsByCurrency,
  country,
  line,
  MINOR_UNITS,
  nameLine,
  stringOrNull,
  timestampOrNull,
  trackingParameters,
  withTextsOf,
} from '../../platform/http/schemas.ts';
import { webUrl } from '../../platform/http/web-urls.ts';
import { isTimeZone } from './time-zone.rules.ts';

const preferences = {
  newAffiliate: z.boolean().describe('Emails about activity contain new affiliates. Default: true'),
  newConversion: z.boolean().describe('Emails about activity contain sales through affiliates. Default: true'),
  commissionApproved: z.boolean().describe('Emails about activity contain approved commissions. Default: true'),
  payoutProcessed: z.boolean().describe('Emails about activity contain completed payouts. Default: true'),
  weeklyDigest: z
    .boolean()
    .describe('An email with the totals of the week, on Mondays at 08:00 in your time zone. Default: false'),
} satisfies Record<NotificationName, z.ZodType>;

export const notificationPreferencesSchema = z.object(preferences).meta({ id: 'NotificationPreferences' });

export const notificationPreferencesBody = z.strictObject(preferences).partial();

const RAIL_TEXT = 'Rail that you chose for this method; null: the one of this installation';

export const merchantSchema = z
  .object({
    id,
    userId,
    companyName,
    logoUrl: stringOrNull.describe('URL of the logo (http or https); null if there is none'),
    country: stringOrNull.describe('Country of the company: ISO 3166-1 code of two letters; null if not set'),
    addressLine1: stringOrNull.describe('Street and number; null if not set'),
    addressLine2: stringOrNull.describe('Second line of the address; null if not set'),
    city: stringOrNull.describe('City or town; null if not set'),
    state: stringOrNull.describe('State or region; null if not set'),
    postalCode: stringOrNull.describe('Postal code; null if not set'),
    vatId: stringOrNull.describe('VAT identification number; null if not set'),
    taxId: stringOrNull.describe('Tax number of the company; null if not set'),
    billingTier: z.enum(BILLING_TIERS).describe('Billing tier, which sets the rate limit'),
    billingRequirementStatus: z
      .enum(BILLING_REQUIREMENTS)
      .describe(
        '`not_required`: the free tier covers the revenue. `active`: a paid tier does. `required`: the revenue of this month is above the tier. `grace_period`: a payment failed. `restricted`: 14 days later it is still open',
      ),
    paymentStatus: z
      .enum(PAYMENT_STATUSES)
      .describe(
        '`active`: nothing is overdue. `incomplete`: the first payment of a subscription is open. `past_due`: a later one failed',
      ),
    lastPaymentFailedAt: timestampOrNull.describe('When a payment for the billing tier last failed; null if none did'),
    defaultCookieDuration: z.int().describe('Days after a click in which a sale is credited, for new programs'),
    defaultPayoutThreshold: amountMinor.describe('Minimum payout of new programs'),
    timezone: z.string().describe('IANA time zone'),
    trackingRequiresConsent: z.boolean().describe('Whether clicks are tracked only with consent of the visitor'),
    trackingParamAliases: z
      .array(z.string())
      .describe(
        'Additional names of the query parameter that carries a referral code, at most 10, each 1 to 32 characters from a-z, 0-9, _ and -',
      ),
    flagReviewDays: z
      .int()
      .describe('Days in which a flag waits for your decision, counted from its newest evidence. Default: 14'),
    flagDeadlineAction: z
      .enum(FLAG_DEADLINE_ACTIONS)
      .describe(
        'What happens to a flag that is still open then. `keep_open`: it waits on. `confirm`, `dismiss`: it is resolved. Default: keep_open',
      ),
    detailsCooldownHours: z
      .int()
      .describe(
        'Hours after a change of payout details in which no payout can be created to the affiliate, from 0 to 168. Default: 0',
      ),
    payoutDailyLimit: z
      .record(z.string(), z.int())
      .nullable()
      .describe(
        'Most that payouts created within 24 hours may amount to, in minor units by currency, at most 20. A payout that failed counts if somebody had begun to pay it. A currency without an amount has the lowest of the others at par of the main unit. Currencies add up as shares of their limits: half of each is all of it. Null or empty: no limit',
      ),
    payoutApprovalThreshold: z
      .record(z.string(), z.int())
      .nullable()
      .describe(
        'From which amount on a second actor must approve, in minor units by currency, at most 20: a payout with what its creator created without approval within 24 hours, a payout run, an adjustment. A currency without an amount has the lowest of the others at par of the main unit. Currencies add up as shares of their amounts. Null or empty: nobody has to',
      ),
    payoutRails: z
      .object({ paypal: stringOrNull.describe(RAIL_TEXT), bank_transfer: stringOrNull.describe(RAIL_TEXT) })
      .describe('Rail that pays each payout method. A payout that exists keeps its rail'),
    paymentPrefix: z
      .string()
      .describe(
        'What the payment references of your payouts begin with, such as NW in NW-1042: 2 to 5 characters from A-Z and 0-9, the first one a letter. A change applies to payouts created afterward. Default: made from the company name',
      ),
    notificationPreferences: notificationPreferencesSchema
      .nullable()
      .describe('Which emails the merchant gets; null while the defaults apply'),
    onboardingCompleted: z.boolean().describe('Whether the setup of the merchant is complete'),
    onboardingStep: z
      .int()
      .describe(
        'Last completed step of the setup. 1: the merchant exists. 2: the company has its name. 4: the setup is complete',
      ),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Merchant' });

export type MerchantView = z.infer<typeof merchantSchema>;

const chosenRail = z
  .string()
  .max(40)
  .regex(RAIL_NAME, 'must be the name of a rail')
  .nullable()
  .describe('Name of a rail that pays this method; null: that of this installation. Left out: unchanged');

export const updateMerchantBody = z
  .strictObject(
    withTextsOf(merchantSchema, {
      companyName: nameLine(100).describe('Company name, shown to affiliates'),
      logoUrl: webUrl.nullable(),
      country: country.nullable(),
      addressLine1: nameLine(200).nullable(),
      addressLine2: nameLine(200).nullable(),
      city: nameLine(100).nullable(),
      state: nameLine(100).nullable(),
      postalCode: line(20).nullable(),
      vatId: line(32).nullable(),
      taxId: line(32).nullable(),
      timezone: z
        .string()
        .max(64)
        .refine(isTimeZone, 'must be an IANA time zone')
        .meta({ override: { pattern: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$' } })
        .describe('IANA time zone, for example `Europe/Berlin`'),
      defaultCookieDuration: z.int().min(1).max(365),
      defaultPayoutThreshold: z.int().min(1_000).max(100_000).meta(MINOR_UNITS),
      trackingRequiresConsent: merchantSchema.shape.trackingRequiresConsent,
      trackingParamAliases: trackingParameters,
      flagReviewDays: z.int().min(1).max(90),
      flagDeadlineAction: merchantSchema.shape.flagDeadlineAction,
      detailsCooldownHours: z.int().min(0).max(MAX_DETAILS_COOLDOWN_HOURS),
      payoutDailyLimit: amountsByCurrency.nullable(),
      payoutApprovalThreshold: amountsByCurrency.nullable(),
      payoutRails: z
        .strictObject({ paypal: chosenRail, bank_transfer: chosenRail })
        .partial()
        .nullable()
        .describe(
          'Rail that pays each payout method: `GET /merchant/rail-accounts` lists what can be chosen. Null: the one of this installation. A method that is left out stays unchanged. A payout that exists keeps its rail',
        ),
      paymentPrefix: z
        .string()
        .max(5)
        .regex(PAYMENT_PREFIX, 'must be 2 to 5 characters from A-Z and 0-9, the first one a letter'),
    }),
  )
  .partial();

/** A merchant as an entity or as a row. */
export type StoredMerchant = Stored<
  Omit<MerchantView, 'billingRequirementStatus' | 'payoutRails'>,
  'lastPaymentFailedAt' | 'createdAt' | 'updatedAt'
> & { payoutRails?: PayoutRails | null };

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
  payoutDailyLimit: merchant.payoutDailyLimit ?? null,
  payoutApprovalThreshold: merchant.payoutApprovalThreshold ?? null,
  payoutRails: { paypal: merchant.payoutRails?.paypal ?? null, bank_transfer: merchant.payoutRails?.bank_transfer ?? null },
  paymentPrefix: merchant.paymentPrefix,
  notificationPreferences: merchant.notificationPreferences ?? null,
  onboardingCompleted: merchant.onboardingCompleted,
  onboardingStep: merchant.onboardingStep,
  createdAt: toIso(merchant.createdAt),
  updatedAt: toIso(merchant.updatedAt),
});
