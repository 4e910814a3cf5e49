import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { conflict } from '../../platform/errors.ts';
import type { AmountsByCurrency } from '../../platform/money.ts';
import { limitIn } from '../merchants/index.ts';
import { db } from '../tables.ts';

interface NewAmount {
  merchantId: string;
  currency: string;
  amount: number;
  payoutDailyLimit: AmountsByCurrency | null;
}

/**
 * Throws DAILY_LIMIT when the amount and what the merchant created in 24 hours exceed the limit together. What failed without being paid
 * does not count, and a run counts as a whole from its confirmation until it is final. The lock, after that of the balance, lets payouts at once see
 * each other, and nobody waits for it without a limit.
 */
export const assertWithinDailyLimit = async (ctx: Context, { merchantId, currency, amount, payoutDailyLimit }: NewAmount) => {
  const limit = limitIn(currency, payoutDailyLimit ?? {});
  if (limit === null) return;
  await lockName(ctx, limitLockOf(merchantId));
  const created = await sumOfDay(ctx, { merchantId, currency });
  if (created + amount > limit)
    throw conflict('DAILY_LIMIT', 'The payouts of 24 hours would exceed the daily limit', { limit, created, amount, currency });
};

/** As `assertWithinDailyLimit`, of a run that is being confirmed. */
export const assertRunWithinDailyLimit = async (ctx: Context, merchantId: string, total: AmountsByCurrency): Promise<void> => {
  const merchant = await firstRow(ctx.em, db.selectFrom('merchant').select('payoutDailyLimit').where('id', '=', merchantId));
  const payoutDailyLimit = merchant?.payoutDailyLimit ?? null;
  for (const [currency, amount] of Object.entries(total))
    await assertWithinDailyLimit(ctx, { merchantId, currency, amount, payoutDailyLimit });
};

/** A name that whoever adds up the payouts of a merchant locks. */
export const limitLockOf = (merchantId: string): string => `payout-limit:${merchantId}`;

interface Sum {
  merchantId: string;
  currency: string;
  /** Only what these actors created, and nobody had to approve. */
  unapprovedOf?: RawBuilder<readonly string[]>;
}

const capped = (amounts: RawBuilder<unknown>) =>
  sql<number>`least(coalesce(sum(${amounts}), 0), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;

/**
 * In minor units: payouts that were created within 24 hours, without those that failed before they were paid, and the totals of runs that
 * are not over. What was paid counts after it came back too: who says so must not be able to pay it again the same day. Of one actor, what
 * a person marked as failed counts as well.
 */
export const sumOfDay = async (ctx: Context, sum: Sum): Promise<number> => {
  // In this order: a run that ends in between counts twice rather than not at all.
  const reserved = await reservedByRuns(ctx, sum);
  return reserved + (await sumOfPayouts(ctx, sum));
};

const MAY_BE_PAID = sql<boolean>`(p.status <> 'failed' or p.completed_at is not null)`;

/** Only a person says that it was not paid. */
const FAILED_BY_HAND = sql<boolean>`(p.failure_code = 'marked_failed' or exists (
  select from payout_contradiction k where k.payout_id = p.id and k.resolution = 'not_paid'))`;

const sumOfPayouts = async (ctx: Context, { merchantId, currency, unapprovedOf }: Sum): Promise<number> => {
  const created = db
    .selectFrom('payout as p')
    .leftJoin('payout_run as r', 'r.id', 'p.payoutRunId')
    .select(capped(sql`p.amount`).as('total'))
    .where('p.merchantId', '=', merchantId)
    .where('p.createdAt', '>', after(ctx.clock.now(), -DAY_MS).toISOString())
    .where('p.currency', '=', currency)
    .where(unapprovedOf ? sql<boolean>`(${MAY_BE_PAID} or ${FAILED_BY_HAND})` : MAY_BE_PAID)
    .where(sql<boolean>`(r.id is null or r.status in ('completed','cancelled'))`);
  const counted = unapprovedOf
    ? created.where(({ or, and, eb }) =>
        or([
          and([eb('p.createdBy', '=', anyOf(unapprovedOf)), eb('p.approvalRequiredAt', 'is', null)]),
          and([eb('r.confirmedBy', '=', anyOf(unapprovedOf)), eb('r.approvedAt', 'is', null)]),
        ]),
      )
    : created;
  return (await firstRow(ctx.em, counted))?.total ?? 0;
};

const reservedByRuns = async (ctx: Context, { merchantId, currency, unapprovedOf }: Sum): Promise<number> => {
  const reserved = db
    .selectFrom('payout_run')
    .select(capped(sql`(total ->> ${currency})::bigint`).as('total'))
    .where('merchantId', '=', merchantId);
  const counted = unapprovedOf
    ? reserved
        .where('confirmedBy', '=', anyOf(unapprovedOf))
        .where('approvedAt', 'is', null)
        .where(sql<boolean>`status in ('running','paused')`)
    : reserved.where(sql<boolean>`status in ('awaiting_approval','running','paused')`);
  return (await firstRow(ctx.em, counted))?.total ?? 0;
};
