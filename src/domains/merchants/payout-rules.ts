import type { ProtectedSetting } from '../../contracts/approvals.ts';
import { decimalsOf } from '../../contracts/currencies.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import type { AmountsByCurrency } from '../../platform/money.ts';
import { hasSecondActor } from '../auth/index.ts';
import { db } from '../tables.ts';
import type { MerchantChanges } from './merchant.entity.ts';

/** In minor units of the currency: its own limit, else the lowest of the others at par of the main unit. Null: none. */
export const limitIn = (currency: string, limits: AmountsByCurrency): number | null => {
  const own = limits[currency];
  if (own !== undefined) return own;
  const atPar = Object.entries(limits).map(([code, amount]) => amount * 10 ** (decimalsOf(currency) - decimalsOf(code)));
  return atPar.length === 0 ? null : Math.floor(Math.min(...atPar));
};

const MAX_DECIMALS = 4;

/** The lowest limit in the smallest unit of any currency, which decides on currencies without one of their own. Null: none. */
const lowestOf = (limits: AmountsByCurrency): bigint | null => {
  const atPar = Object.entries(limits).map(([code, amount]) => BigInt(amount) * 10n ** BigInt(MAX_DECIMALS - decimalsOf(code)));
  return atPar.reduce<bigint | null>((lowest, amount) => (lowest === null || amount < lowest ? amount : lowest), null);
};

const isMore = (next: bigint | number | null, old: bigint | number | null): boolean =>
  old !== null && (next === null || next > old);

/** Whether new limits allow more than the old ones in any currency. */
const allowMore = (next: AmountsByCurrency, old: AmountsByCurrency): boolean =>
  isMore(lowestOf(next), lowestOf(old)) ||
  Object.keys({ ...next, ...old }).some((code) => isMore(limitIn(code, next), limitIn(code, old)));

type Rules = Pick<MerchantChanges, ProtectedSetting>;

/** Whether a new value of a setting makes payouts less safe: a higher or no limit, or a shorter wait. */
export const isLooser = (setting: ProtectedSetting, next: Rules, old: Rules): boolean => {
  if (next[setting] === undefined) return false;
  if (setting === 'detailsCooldownHours') return (next[setting] ?? 0) < (old[setting] ?? 0);
  return allowMore(next[setting] ?? {}, old[setting] ?? {});
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
  throw conflict('NO_SECOND_ACTOR', 'Nobody could approve: all people and active keys with payouts:write are one actor', {
    required: 'payouts:write',
  });
};
