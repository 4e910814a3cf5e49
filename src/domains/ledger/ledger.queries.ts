import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { execute, firstRow, type Selectable } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { db, type Tables } from '../tables.ts';

const BALANCE = ['pending', 'payable', 'inPayout', 'paid', 'openAdjustments'] as const;

/** Balances of one affiliate in minor units. `openAdjustments` is the sum of what adjustments still deduct. */
export type Balance = Pick<Selectable<Tables['ledger_balance']>, (typeof BALANCE)[number]>;

const EMPTY: Balance = { pending: 0, payable: 0, inPayout: 0, paid: 0, openAdjustments: 0 };

const lockedBalance = compileOnce(({ affiliateId }: Given<{ affiliateId: string }>) =>
  db.selectFrom('ledger_balance').select(BALANCE).where('affiliateId', '=', affiliateId).forUpdate(),
);

/**
 * Locks an affiliate's balance until the transaction ends. Always take this lock after those of sales and of the membership,
 * and before those of conversions and payouts, to prevent deadlocks.
 */
export const lockBalance = async (ctx: Context, affiliateId: string): Promise<Balance> =>
  (await firstRow(ctx.em, lockedBalance({ affiliateId }))) ?? EMPTY;

/** As `lockBalance`, for several affiliates: in the order of ids, as everybody who locks more than one. */
export const lockBalances = async (ctx: Context, affiliateIds: readonly string[]): Promise<void> => {
  if (affiliateIds.length === 0) return;
  await execute(
    ctx.em,
    db
      .selectFrom('ledger_balance')
      .select('affiliateId')
      .where('affiliateId', '=', anyOf(affiliateIds))
      .orderBy('affiliateId')
      .forUpdate(),
  );
};
