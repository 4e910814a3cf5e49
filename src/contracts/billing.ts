import { decimalsOf } from './currencies.ts';
import type { BillingTier } from './programs.ts';

/** Currency of prices and of the ceilings in `TIER_TERMS`. */
export const BILLING_CURRENCY = 'usd';

/** The ceiling of a tier that has none: the largest integer that every client reads exactly. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

export interface TierTerms {
  name: string;
  /** A month, in minor units of `BILLING_CURRENCY`. */
  price: number;
  /** Revenue of a calendar month up to which the tier may be used, in minor units of `BILLING_CURRENCY`. For others, see `ceilingOf`. */
  maxRevenue: number;
  features: readonly string[];
}

/** Cheapest first. Edit prices and ceilings here; with Stripe, prices are those of `STRIPE_BILLING_PRICES`. */
export const TIER_TERMS: Readonly<Record<BillingTier, TierTerms>> = {
  free: {
    name: 'Free',
    price: 0,
    maxRevenue: 100_000,
    features: ['60 requests per minute per API key', '250 MB of marketing resources'],
  },
  starter: {
    name: 'Starter',
    price: 2_900,
    maxRevenue: 1_000_000,
    features: ['60 requests per minute per API key', '2 GB of marketing resources'],
  },
  growth: {
    name: 'Growth',
    price: 9_900,
    maxRevenue: 5_000_000,
    features: ['300 requests per minute per API key', '10 GB of marketing resources'],
  },
  pro: {
    name: 'Pro',
    price: 29_900,
    maxRevenue: UNLIMITED,
    features: ['1,000 requests per minute per API key', '50 GB of marketing resources'],
  },
};

/**
 * The ceiling of a tier in minor units of a currency: as many main units as of `BILLING_CURRENCY`, so 1,000 usd are 1,000 eur and 1,000
 * jpy. It holds for each currency by itself: without exchange rates, nothing is summed.
 */
export const ceilingOf = (tier: BillingTier, currency: string): number => {
  const { maxRevenue } = TIER_TERMS[tier];
  if (maxRevenue === UNLIMITED) return UNLIMITED;
  return Math.round(maxRevenue * 10 ** (decimalsOf(currency) - decimalsOf(BILLING_CURRENCY)));
};

/** Tiers that a merchant can subscribe to. */
export const PAID_TIERS = ['starter', 'growth', 'pro'] as const;
export type PaidTier = (typeof PAID_TIERS)[number];

/** Days between a failed payment and the restriction of the merchant. */
export const GRACE_DAYS = 14;

/** `incomplete`: the first payment of a subscription is open. `past_due`: a later one failed. */
export const PAYMENT_STATUSES = ['active', 'incomplete', 'past_due'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** Who collects payments. `none`: nobody. */
export const PAYMENT_PROVIDERS = ['stripe', 'none'] as const;
export type PaymentProvider = (typeof PAYMENT_PROVIDERS)[number];

/** What became of an event of Stripe about a subscription. */
export const BILLING_OUTCOMES = ['applied', 'ignored'] as const;
export type BillingOutcome = (typeof BILLING_OUTCOMES)[number];
