import { z } from 'zod';
import {
  BILLING_CURRENCY,
  ceilingOf,
  PAID_TIERS,
  PAYMENT_PROVIDERS,
  type PaidTier,
  type PaymentProvider,
  type PaymentStatus,
  TIER_TERMS,
} from '../../contracts/billing.ts';
import { BILLING_TIERS, type BillingRequirement, type BillingTier } from '../../contracts/programs.ts';
import { toIsoOrNull } from '../../platform/database/sql.ts';
import { currencyCode } from '../../platform/http/fields.ts';
import { amountMinor, stringOrNull, timestampOrNull } from '../../platform/http/schemas.ts';
import { billedRevenueOf, type CurrencyRevenue, merchantSchema } from '../merchants/index.ts';

export const billingTierSchema = z
  .object({
    id: z.enum(BILLING_TIERS).describe('Name of the tier in requests'),
    name: z.string().describe('Display name of the tier'),
    price: amountMinor.describe('Price of a month in usd'),
    maxRevenue: amountMinor.describe(
      'Revenue of a calendar month that the tier covers, in usd, and as many main units of any other currency; 9007199254740991 if it has no limit',
    ),
    features: z.array(z.string()).describe('What the tier includes, as text for people'),
    bookable: z.boolean().describe('Whether `POST /billing/subscribe` accepts the tier'),
  })
  .meta({ id: 'BillingTier' });

export const billingStatusSchema = z
  .object({
    tier: z.enum(BILLING_TIERS).describe('The tier that applies now'),
    monthlyRevenue: amountMinor.describe(
      'Sales recorded for affiliates in this calendar month of your time zone, less refunds, in the currency beside it',
    ),
    maxRevenue: amountMinor.describe(
      'Revenue of a month that the tier covers, in usd; 9007199254740991 if it has no limit. For other currencies, see `byCurrency`',
    ),
    currency: z
      .string()
      .describe(
        'Currency of `monthlyRevenue` and `maxRevenue`: always usd. The limit holds for each currency by itself: see `byCurrency`',
      ),
    byCurrency: z
      .array(
        z.object({
          currency: currencyCode,
          monthlyRevenue: amountMinor.describe(
            'Sales recorded for affiliates in this calendar month of your time zone, less refunds, in the currency beside it',
          ),
          maxRevenue: amountMinor.describe(
            'Revenue of a month that the tier covers in this currency: as many main units as of usd; 9007199254740991 if it has no limit',
          ),
        }),
      )
      .describe('The revenue of the month in each currency, the highest first; empty without sales'),
    nextTier: z.enum(BILLING_TIERS).nullable().describe('The next higher tier; null for the highest'),
    billingRequirementStatus: merchantSchema.shape.billingRequirementStatus,
    paymentProvider: z
      .enum(PAYMENT_PROVIDERS)
      .describe('`stripe`: payments are collected. `none`: this server collects no payments, and a tier changes at once'),
    paymentStatus: merchantSchema.shape.paymentStatus,
    gracePeriodEndsAt: timestampOrNull.describe(
      'When an overdue payment makes the status `restricted`: 14 days after it failed. Null while no payment is overdue',
    ),
    stripeSubscriptionId: stringOrNull.describe('Subscription at Stripe; null if there is none'),
    requestedTier: z
      .enum(PAID_TIERS)
      .nullable()
      .describe('The tier that applies once the first invoice is paid; null if none waits'),
    paymentUrl: stringOrNull.describe('Page at Stripe where the open invoice is paid; null if there is none'),
  })
  .meta({ id: 'BillingStatus' });

export type BillingTierView = z.infer<typeof billingTierSchema>;
export type BillingStatusView = z.infer<typeof billingStatusSchema>;

export const subscribeToTierBody = z.strictObject({ tier: z.enum(PAID_TIERS).describe('The tier to subscribe to') });

/** The next higher one; null for the highest. */
const nextTierOf = (tier: BillingTier): BillingTier | null => BILLING_TIERS[BILLING_TIERS.indexOf(tier) + 1] ?? null;

/** A merchant with its subscription. */
export interface BillingAccount {
  id: string;
  companyName: string;
  email: string;
  timezone: string;
  billingTier: BillingTier;
  paymentStatus: PaymentStatus;
  graceEndsAt: string | null;
  subscriptionId: string | null;
  requestedTier: PaidTier | null;
  paymentUrl: string | null;
}

export interface BillingFacts extends Omit<BillingAccount, 'id' | 'companyName' | 'email' | 'timezone'> {
  revenue: readonly CurrencyRevenue[];
  requirement: BillingRequirement;
  provider: PaymentProvider;
}

export const toBillingStatus = (facts: BillingFacts): BillingStatusView => ({
  tier: facts.billingTier,
  monthlyRevenue: billedRevenueOf(facts.revenue),
  maxRevenue: TIER_TERMS[facts.billingTier].maxRevenue,
  currency: BILLING_CURRENCY,
  byCurrency: facts.revenue.map(({ currency, monthlyRevenue }) => ({
    currency,
    monthlyRevenue,
    maxRevenue: ceilingOf(facts.billingTier, currency),
  })),
  nextTier: nextTierOf(facts.billingTier),
  billingRequirementStatus: facts.requirement,
  paymentProvider: facts.provider,
  paymentStatus: facts.paymentStatus,
  gracePeriodEndsAt: toIsoOrNull(facts.graceEndsAt),
  stripeSubscriptionId: facts.subscriptionId,
  requestedTier: facts.requestedTier,
  paymentUrl: facts.paymentUrl,
});
