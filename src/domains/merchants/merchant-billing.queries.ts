import { BILLING_CURRENCY, ceilingOf, TIER_TERMS, UNLIMITED } from '../../contracts/billing.ts';
import type { BillingRequirement, BillingTier } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { billingMonth } from './billing-month.rules.ts';
import { billingRequirementOf } from './billing-requirement.rules.ts';
import { conversionSums } from './conversion-sums.queries.ts';

/** A merchant as an entity or as a row: what its billing requirement follows from. */
export interface BilledMerchant {
  id: string;
  billingTier: BillingTier;
  timezone: string;
  graceEndsAt?: Date | string | null;
}

/** Revenue through affiliates, less refunds, in the month of the merchant's time zone. In minor units. */
export interface CurrencyRevenue {
  currency: string;
  monthlyRevenue: number;
}

/** The largest first, without currencies that have none. */
export const findMonthlyRevenue = (ctx: Context, { id, timezone }: BilledMerchant): Promise<CurrencyRevenue[]> => {
  const period = billingMonth(ctx.clock.now(), timezone);
  return rows(
    ctx.em,
    db
      .selectFrom(conversionSums({ merchantId: id, period }).as('counted'))
      .select(({ fn }) => ['currency', fn.sum<number>('revenue').as('monthlyRevenue')])
      .where('status', '<>', 'rejected')
      .groupBy('currency')
      .having(({ fn }) => fn.sum('conversions'), '>', sql.lit(0))
      .orderBy('monthlyRevenue', 'desc')
      .orderBy('currency'),
  );
};

/** In the currency of prices. */
export const billedRevenueOf = (revenue: readonly CurrencyRevenue[]): number =>
  revenue.find(({ currency }) => currency === BILLING_CURRENCY)?.monthlyRevenue ?? 0;

/** A currency whose revenue is above the ceiling of the tier; undefined when none is. */
export const findAboveTier = (tier: BillingTier, revenue: readonly CurrencyRevenue[]): CurrencyRevenue | undefined =>
  revenue.find(({ currency, monthlyRevenue }) => monthlyRevenue > ceilingOf(tier, currency));

const graceEndOf = ({ graceEndsAt }: BilledMerchant): Date | null => (graceEndsAt ? new Date(graceEndsAt) : null);

/** The revenue is read only if the requirement depends on it, unless it is given. */
export const findBillingRequirement = async (
  ctx: Context,
  merchant: BilledMerchant,
  revenue?: readonly CurrencyRevenue[],
): Promise<BillingRequirement> => {
  const { maxRevenue } = TIER_TERMS[merchant.billingTier];
  const graceEndsAt = graceEndOf(merchant);
  const isDecided = graceEndsAt !== null || maxRevenue === UNLIMITED;
  const counted = isDecided ? [] : (revenue ?? (await findMonthlyRevenue(ctx, merchant)));
  const isAboveTier = findAboveTier(merchant.billingTier, counted) !== undefined;
  return billingRequirementOf({ ...merchant, graceEndsAt, isAboveTier }, ctx.clock.now());
};

const restricted = (graceEndsAt: Date | null) =>
  conflict('BILLING_RESTRICTED', 'A payment for the billing tier is overdue. Pay it first: see GET /billing', {
    gracePeriodEndsAt: graceEndsAt?.toISOString(),
  });

/** For a new program. BILLING_RESTRICTED while a payment is overdue, BILLING_REQUIRED while the revenue is above the tier. */
export const assertMayAddProgram = async (ctx: Context, merchant: BilledMerchant): Promise<void> => {
  const requirement = await findBillingRequirement(ctx, merchant);
  if (requirement === 'restricted') throw restricted(graceEndOf(merchant));
  if (requirement !== 'required') return;
  throw conflict(
    'BILLING_REQUIRED',
    'The revenue of this month is above the billing tier. Subscribe to a higher one first: POST /billing/subscribe',
    {
      tier: merchant.billingTier,
      maxRevenue: TIER_TERMS[merchant.billingTier].maxRevenue,
    },
  );
};

const findGraceEnd = async (ctx: Context, merchantId: string): Promise<Date | null> => {
  const row = await firstRow(ctx.em, db.selectFrom('merchant').select('graceEndsAt').where('id', '=', merchantId));
  if (!row) throw notFound('Merchant');
  return row.graceEndsAt === null ? null : new Date(row.graceEndsAt);
};

/** Whether a payment for the billing tier is overdue by more than the grace period. */
export const isRestricted = async (ctx: Context, merchantId: string): Promise<boolean> => {
  const graceEndsAt = await findGraceEnd(ctx, merchantId);
  return graceEndsAt !== null && graceEndsAt <= ctx.clock.now();
};

/** For new affiliates. BILLING_RESTRICTED while a payment is overdue. What concerns sales and payouts never asks. */
export const assertMayAddAffiliates = async (ctx: Context, merchantId: string): Promise<void> => {
  const graceEndsAt = await findGraceEnd(ctx, merchantId);
  if (graceEndsAt !== null && graceEndsAt <= ctx.clock.now()) throw restricted(graceEndsAt);
};
