import { decimalsOf } from '../../contracts/currencies.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import type { AmountsByCurrency } from '../../platform/money.ts';
import { hasSecondActor } from '../auth/index.ts';
import { db } from '../tables.ts';

/** In minor units of the currency: its own limit, else the lowest of the others at par of the main unit. Null: none. */
export const limitIn = (currency: string, limits: AmountsByCurrency): number | null => {
  const own = limits[currency];
  if (own !== undefined) return own;
  const atPar = Object.entries(limits).map(([code, amount]) => amount * 10 ** (decimalsOf(currency) - decimalsOf(code)));
  return atPar.length === 0 ? null : Math.floor(Math.min(...atPar));
};

/** From which amount on a second actor approves, in minor units of the currency. Null: nobody has to. */
export const approvalThresholdIn = async (ctx: Context, merchantId: string, currency: string): Promise<number | null> => {
  const row = await firstRow(ctx.em, db.selectFrom('merchant').select('payoutApprovalThreshold').where('id', '=', merchantId));
  return limitIn(currency, row?.payoutApprovalThreshold ?? {});
};

/** Throws NO_SECOND_ACTOR for a threshold of a merchant with whose keys nobody could approve what another one made. */
export const assertApprovable = async (
  ctx: Context,
  merchantId: string,
  threshold: AmountsByCurrency | null | undefined,
): Promise<void> => {
  if (!threshold || Object.keys(threshold).length === 0) return;
  if (await hasSecondActor(ctx, { ownerId: merchantId, scope: 'payouts:write' })) return;
  throw conflict('NO_SECOND_ACTOR', 'Nobody could approve: all active keys with payouts:write are of one actor', {
    required: 'payouts:write',
  });
};
