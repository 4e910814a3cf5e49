import { z } from 'zod';
import {
  BILLING_CURRENCY,
  PAID_TIERS,
  PAYMENT_PROVIDERS,
  PAYMENT_STATUSES,
  type PaidTier,
  type PaymentProvider,
  type PaymentStatus,
  TIER_TERMS,
} from '../../contracts/billing.ts';
import { BILLING_REQUIREMENTS, BILLING_TIERS, type BillingRequirement, type BillingTier } from '../../contracts/programs.ts';
import { toIsoOrNull } from '../../platform/database/sql.ts';
import { amountMinor, timestamp } from '../../platform/http/schemas.ts';
import { MERCHANT_BILLING } from '../merchants/index.ts';

export const billingTierSchema = z
  .object({
    id: z.enum(BILLING_TIERS),
    name: z.string(),
    price: amountMinor,
    maxRevenue: amountMinor,
    features: z.array(z.string()),
    bookable: z.boolean(),
  })
  .meta({ id: 'BillingTier' });

export const billingStatusSchema = z
  .object({
    tier: z.enum(BILLING_TIERS),
    monthlyRevenue: amountMinor,
    maxRevenue: amountMinor,
    currency: z.string(),
    byCurrency: z.array(z.object({ currency: z.string(), monthlyRevenue: amountMinor })),
    nextTier: z.enum(BILLING_TIERS).nullable(),
    billingRequirementStatus: z.enum(BILLING_REQUIREMENTS),
    paymentProvider: z.enum(PAYMENT_PROVIDERS),
    paymentStatus: z.enum(PAYMENT_STATUSES),
    gracePeriodEndsAt: timestamp.nullable(),
    stripeSubscriptionId: z.string().nullable(),
    requestedTier: z.enum(PAID_TIERS).nullable(),
    paymentUrl: z.string().nullable(),
  })
  .meta({ id: 'BillingStatus' });

export type BillingTierView = z.infer<typeof billingTierSchema>;
export type BillingStatusView = z.infer<typeof billingStatusSchema>;

export const subscribeToTierBody = z.strictObject({ tier: z.enum(PAID_TIERS) });

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
  revenue: Awaited<ReturnType<typeof MERCHANT_BILLING.findMonthlyRevenue>>;
  requirement: BillingRequirement;
  provider: PaymentProvider;
}

export const toBillingStatus = (facts: BillingFacts): BillingStatusView => ({
  tier: facts.billingTier,
  monthlyRevenue: MERCHANT_BILLING.billedRevenueOf(facts.revenue),
  maxRevenue: TIER_TERMS[facts.billingTier].maxRevenue,
  currency: BILLING_CURRENCY,
  byCurrency: facts.revenue.map(({ currency, monthlyRevenue }) => ({ currency, monthlyRevenue })),
  nextTier: nextTierOf(facts.billingTier),
  billingRequirementStatus: facts.requirement,
  paymentProvider: facts.provider,
  paymentStatus: facts.paymentStatus,
  gracePeriodEndsAt: toIsoOrNull(facts.graceEndsAt),
  stripeSubscriptionId: facts.subscriptionId,
  requestedTier: facts.requestedTier,
  paymentUrl: facts.paymentUrl,
});
