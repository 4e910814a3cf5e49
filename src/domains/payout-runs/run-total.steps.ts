import type { Context } from '../../platform/context.ts';
import { rows } from '../../platform/database/sql.ts';
import type { AmountsByCurrency } from '../../platform/money.ts';
import { db } from '../tables.ts';

interface RunTotal {
  /** Minor units. */
  total: AmountsByCurrency;
  items: number;
}

/** Sorted by currency: audit logs compare what is shown as text. */
export const totalOf = (planned: readonly { currency: string; amount: number; count?: number }[]): RunTotal => {
  const sums = new Map<string, number>();
  for (const { currency, amount } of planned) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return {
    total: Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1))),
    items: planned.reduce((items, { count = 1 }) => items + count, 0),
  };
};

/** Total of the items of a draft that are not left out. */
export const readTotal = async (ctx: Context, runId: string): Promise<RunTotal> =>
  totalOf(
    await rows(
      ctx.em,
      db
        .selectFrom('payout_run_item')
        .select(({ fn }) => ['currency', fn.sum<number>('amount').as('amount'), fn.countAll<number>().as('count')])
        .where('runId', '=', runId)
        .where('result', '=', 'planned')
        .groupBy('currency'),
    ),
  );
