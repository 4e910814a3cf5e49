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
 * Throws DAILY_LIMIT when the payout and what the merchant created in 24 hours exceed the limit together; failed payouts do not
 * count. The lock, after that of the balance, lets payouts at once see each other, and nobody waits for it without a limit.
 */
export const assertWithinDailyLimit = async (ctx: Context, { merchantId, currency, amount, payoutDailyLimit }: NewAmount) => {
  const limit = limitIn(currency, payoutDailyLimit ?? {});
  if (limit === null) return;
  await lockName(ctx, limitLockOf(merchantId));
  const created = await sumOfDay(ctx, { merchantId, currency });
  if (created + amount > limit)
    throw conflict('DAILY_LIMIT', 'The payouts of 24 hours would exceed the daily limit', { limit, created, amount, currency });
};

/** A name that whoever adds up the payouts of a merchant locks. */
export const limitLockOf = (merchantId: string): string => `payout-limit:${merchantId}`;

interface Sum {
  merchantId: string;
  currency: string;
  /** Only what these actors created, and nobody had to approve. */
  unapprovedOf?: RawBuilder<readonly string[]>;
}

/** In minor units: payouts that were created within 24 hours and have not failed. */
export const sumOfDay = async (ctx: Context, { merchantId, currency, unapprovedOf }: Sum): Promise<number> => {
  const created = db
    .selectFrom('payout')
    .select(sql<number>`least(coalesce(sum(amount), 0), ${sql.lit(Number.MAX_SAFE_INTEGER)})`.as('total'))
    .where('merchantId', '=', merchantId)
    .where('createdAt', '>', after(ctx.clock.now(), -DAY_MS).toISOString())
    .where('currency', '=', currency)
    .where('status', '<>', 'failed');
  const counted = unapprovedOf
    ? created.where('createdBy', '=', anyOf(unapprovedOf)).where('approvalRequiredAt', 'is', null)
    : created;
  return (await firstRow(ctx.em, counted))?.total ?? 0;
};
