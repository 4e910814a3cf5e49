import type { Context } from '../../platform/context.ts';
import { execute, firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';

/** Balances of one affiliate in minor units. `openAdjustments` is the sum of what adjustments still deduct. */
export interface Balance {
  pending: number;
  payable: number;
  inPayout: number;
  paid: number;
  openAdjustments: number;
}

const EMPTY: Balance = { pending: 0, payable: 0, inPayout: 0, paid: 0, openAdjustments: 0 };

/**
 * Locks an affiliate's balance until the transaction ends. Always take this lock after those of sales and of the membership,
 * and before those of conversions and payouts, to prevent deadlocks. Accepts the affiliate's id or a query that returns it.
 */
export const lockBalance = async (ctx: Context, affiliateId: string | RawBuilder<unknown>): Promise<Balance> =>
  (await firstRow(
    ctx.em,
    sql<Balance>`select pending::float8 as pending, payable::float8 as payable, in_payout::float8 as "inPayout",
        paid::float8 as paid, open_adjustments::float8 as "openAdjustments"
      from ledger_balance where affiliate_id = (${affiliateId})::uuid for update`,
  )) ?? EMPTY;

/** As `lockBalance`, for several affiliates: in the order of ids, as everybody who locks more than one. */
export const lockBalances = async (ctx: Context, affiliateIds: readonly string[]): Promise<void> => {
  if (affiliateIds.length === 0) return;
  await execute(
    ctx.em,
    sql`select from ledger_balance where affiliate_id = any(${affiliateIds}::uuid[]) order by affiliate_id for update`,
  );
};
