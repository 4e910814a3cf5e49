import { after, DAY_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { conflict } from '../../../platform/errors.ts';
import type { AmountsByCurrency } from '../../../platform/money.ts';
import { type CurrencyAmount, shownLimitIn, useOfLimits } from '../../merchants/index.ts';
import { db } from '../../tables.ts';

interface NewAmounts {
  merchantId: string;
  amounts: readonly CurrencyAmount[];
  payoutDailyLimit: AmountsByCurrency | null;
}

export const amountsOf = (total: AmountsByCurrency): CurrencyAmount[] =>
  Object.entries(total).map(([currency, amount]) => ({ currency, amount }));

/**
 * Throws DAILY_LIMIT when the amounts and what the merchant created in 24 hours exceed the limit together, in all currencies. What failed
 * before anybody could pay it does not count, and a run counts as a whole from its confirmation until it is final. The lock, after that of
 * the balance, lets payouts at once see each other, and nobody waits for it without a limit.
 */
export const assertWithinDailyLimit = async (ctx: Context, { merchantId, amounts, payoutDailyLimit }: NewAmounts) => {
  const limits = payoutDailyLimit ?? {};
  if (Object.keys(limits).length === 0) return;
  await lockName(ctx, limitLockOf(merchantId));
  const created = await sumsOfDay(ctx, { merchantId });
  const all = [...created, ...amounts];
  if (useOfLimits(all, limits) !== 1) return;
  throw conflict('DAILY_LIMIT', 'The payouts of 24 hours would exceed the daily limit', excessOf(created, amounts, limits));
};

/** In the currency that exceeds its limit alone, or else in the first one; `others`: what is or would be created in others, if anything. */
const excessOf = (created: readonly CurrencyAmount[], amounts: readonly CurrencyAmount[], limits: AmountsByCurrency) => {
  const all = [...created, ...amounts];
  const isExceeded = ({ currency }: CurrencyAmount) => useOfLimits(all.filter(isOf(currency)), limits) === 1;
  const { currency, amount } = amounts.find(isExceeded) ?? amounts[0] ?? { currency: '', amount: 0 };
  const others: Record<string, number> = {};
  for (const other of all.filter((of) => !isOf(currency)(of)))
    others[other.currency] = (others[other.currency] ?? 0) + other.amount;
  const own = created.filter(isOf(currency)).reduce((sum, of) => sum + of.amount, 0);
  const excess = { limit: shownLimitIn(currency, limits), created: own, amount, currency };
  return Object.keys(others).length === 0 ? excess : { ...excess, others };
};

const isOf = (currency: string) => (of: CurrencyAmount) => of.currency === currency;

/** As `assertWithinDailyLimit`, of a run that is being confirmed. */
export const assertRunWithinDailyLimit = async (ctx: Context, merchantId: string, total: AmountsByCurrency): Promise<void> => {
  const merchant = await firstRow(ctx.em, db.selectFrom('merchant').select('payoutDailyLimit').where('id', '=', merchantId));
  const payoutDailyLimit = merchant?.payoutDailyLimit ?? null;
  await assertWithinDailyLimit(ctx, { merchantId, amounts: amountsOf(total), payoutDailyLimit });
};

/** A name that whoever adds up the payouts of a merchant locks. */
export const limitLockOf = (merchantId: string): string => `payout-limit:${merchantId}`;

interface Sum {
  merchantId: string;
  /** Only what these actors created, and nobody had to approve. */
  unapprovedOf?: RawBuilder<readonly string[]>;
}

const capped = (amounts: RawBuilder<unknown>) =>
  sql<number>`least(coalesce(sum(${amounts}), 0), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;

/**
 * By currency: payouts that were created within 24 hours, without those that failed before anybody could pay them, and the totals of runs
 * that are not over. What was paid counts after it came back too, and what a person began to pay after a person said that it was not paid:
 * whoever says so must not be able to pay it again the same day. A currency may be there more than once.
 */
export const sumsOfDay = async (ctx: Context, sum: Sum): Promise<CurrencyAmount[]> => {
  // In this order: a run that ends in between counts twice rather than not at all.
  const reserved = await reservedByRuns(ctx, sum);
  return [...reserved, ...(await sumsOfPayouts(ctx, sum))];
};

/** Once it was handed out, only a person says that it was not paid. */
const MAY_BE_PAID = sql<boolean>`(p.status <> 'failed' or p.completed_at is not null or p.failure_code = 'marked_failed' or exists (
  select from payout_contradiction k where k.payout_id = p.id and k.resolution = 'not_paid'))`;

const sumsOfPayouts = (ctx: Context, { merchantId, unapprovedOf }: Sum): Promise<CurrencyAmount[]> => {
  const created = db
    .selectFrom('payout as p')
    .leftJoin('payout_run as r', 'r.id', 'p.payoutRunId')
    .select(['p.currency', capped(sql`p.amount`).as('amount')])
    .where('p.merchantId', '=', merchantId)
    .where('p.createdAt', '>', after(ctx.clock.now(), -DAY_MS).toISOString())
    .where(MAY_BE_PAID)
    .where(sql<boolean>`(r.id is null or r.status in ('completed','cancelled'))`)
    .groupBy('p.currency');
  const counted = unapprovedOf
    ? created.where(({ or, and, eb }) =>
        or([
          and([eb('p.createdBy', '=', anyOf(unapprovedOf)), eb('p.approvalRequiredAt', 'is', null)]),
          and([eb('r.confirmedBy', '=', anyOf(unapprovedOf)), eb('r.approvedAt', 'is', null)]),
        ]),
      )
    : created;
  return rows(ctx.em, counted);
};

/** A template: the totals of a run are a document. */
const reservedByRuns = (ctx: Context, { merchantId, unapprovedOf }: Sum): Promise<CurrencyAmount[]> => {
  const counted = unapprovedOf
    ? sql`r.status in ('running','paused') and r.confirmed_by = any(${unapprovedOf}) and r.approved_at is null`
    : sql`r.status in ('awaiting_approval','running','paused')`;
  return rows(
    ctx.em,
    sql<CurrencyAmount>`select t.key as currency, ${capped(sql`t.value::bigint`)} as amount
      from payout_run r cross join lateral jsonb_each_text(r.total) t
      where r.merchant_id = ${merchantId}::uuid and ${counted} group by t.key`,
  );
};
