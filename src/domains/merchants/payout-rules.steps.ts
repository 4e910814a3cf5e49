import type { ProtectedSetting } from '../../contracts/approvals.ts';
import { decimalsOf } from '../../contracts/currencies.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import type { AmountsByCurrency } from '../../platform/money.ts';
import { hasSecondActor } from '../auth/index.ts';
import { db } from '../tables.ts';
import type { MerchantChanges } from './merchant.entity.ts';

const MAX_DECIMALS = 4;

/** The lowest limit in the smallest unit of any currency, which decides on currencies without one of their own. Null: none. */
const lowestOf = (limits: AmountsByCurrency): bigint | null => {
  const atPar = Object.entries(limits).map(([code, amount]) => BigInt(amount) * 10n ** BigInt(MAX_DECIMALS - decimalsOf(code)));
  return atPar.reduce<bigint | null>((lowest, amount) => (lowest === null || amount < lowest ? amount : lowest), null);
};

/** In minor units of the currency: its own limit, else the lowest of the others at par of the main unit. Null: none. */
const limitIn = (currency: string, limits: AmountsByCurrency): bigint | null => {
  const own = limits[currency];
  if (own !== undefined) return BigInt(own);
  const lowest = lowestOf(limits);
  return lowest === null ? null : lowest / 10n ** BigInt(MAX_DECIMALS - decimalsOf(currency));
};

export interface CurrencyAmount {
  currency: string;
  /** Minor units, not negative. */
  amount: number;
}

/** Below 0: together, the amounts use up less than the limits allow; 0: all of it; above 0: more. Null: there is no limit. */
export type UseOfLimits = -1 | 0 | 1 | null;

/**
 * Adds up amounts of any currencies as shares of the limit of each currency, so that another currency is no way around a limit. Exact:
 * fractions are never rounded, and amounts of one currency compare as their sum.
 */
export const useOfLimits = (amounts: readonly CurrencyAmount[], limits: AmountsByCurrency): UseOfLimits => {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
  let [used, whole] = [0n, 1n];
  for (const [currency, sum] of sums) {
    const limit = limitIn(currency, limits);
    if (limit === null) return null;
    if (limit === 0n && sum > 0n) return 1;
    if (limit > 0n) [used, whole] = [used * limit + sum * whole, whole * limit];
  }
  return used < whole ? -1 : used > whole ? 1 : 0;
};

/** The limit in a currency, for people. */
export const shownLimitIn = (currency: string, limits: AmountsByCurrency): number | null => {
  const limit = limitIn(currency, limits);
  return limit === null ? null : Number(limit);
};

const isMore = (next: bigint | null, old: bigint | null): boolean => old !== null && (next === null || next > old);

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

/** From which amounts on a second actor approves. Empty: nobody has to. */
export const findApprovalThreshold = async (ctx: Context, merchantId: string): Promise<AmountsByCurrency> => {
  const row = await firstRow(ctx.em, db.selectFrom('merchant').select('payoutApprovalThreshold').where('id', '=', merchantId));
  return row?.payoutApprovalThreshold ?? {};
};

/** Whether amounts reach the threshold together. A threshold of nothing is reached by nothing. */
export const reachesThreshold = (amounts: readonly CurrencyAmount[], threshold: AmountsByCurrency): boolean => {
  const use = useOfLimits(amounts, threshold);
  return use !== null && use >= 0;
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
