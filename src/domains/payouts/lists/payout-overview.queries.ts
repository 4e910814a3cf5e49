import { type Context, merchantOf } from '../../../platform/context.ts';
import { rows } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import type { PayoutOverview } from './payout-overview.wire.ts';
import { planReady } from './pending-payouts.queries.ts';

type Sums = PayoutOverview['ready'];

/** Reads the open payouts of the merchant from an index. */
const openSums = (merchantId: string) =>
  db
    .selectFrom('payout')
    .select(['status', 'currency'])
    .select(({ fn }) => [fn.sum<number>('amount').as('amount'), fn.countAll<number>().as('count')])
    .where('merchantId', '=', merchantId)
    .where('status', 'in', ['pending', 'processing'])
    .groupBy(['status', 'currency'])
    .orderBy('currency');

const sumsOf = (all: readonly { currency: string; amount: number }[]): Sums =>
  [...Map.groupBy(all, ({ currency }) => currency)]
    .map(([currency, of]) => ({ currency, amount: of.reduce((sum, { amount }) => sum + amount, 0), count: of.length }))
    .sort((a, b) => a.currency.localeCompare(b.currency));

/** What is ready to pay and what is being paid. Amounts are never summed across currencies. */
export const getPayoutOverview = async (ctx: Context): Promise<PayoutOverview> => {
  const open = await rows(ctx.em, openSums(merchantOf(ctx)));
  const { ready, isCapped } = await planReady(ctx);
  const sumsIn = (status: 'pending' | 'processing'): Sums =>
    open.filter((row) => row.status === status).map(({ currency, amount, count }) => ({ currency, amount, count }));
  return { ready: sumsOf(ready), isReadyCapped: isCapped, notStarted: sumsIn('pending'), processing: sumsIn('processing') };
};
