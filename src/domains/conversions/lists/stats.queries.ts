import type { ConversionStatus, Period } from '../../../contracts/conversions.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { conversionSums, countedTotal } from '../../merchants/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { db } from '../../tables.ts';
import { findMainCurrency, startOf } from '../conversions.queries.ts';
import type { ConversionStats } from '../conversions.wire.ts';
import { heldConversions } from '../hold/holds.queries.ts';
import { countCustomers } from './customers.queries.ts';
import type { ProgramStatsView } from './program-stats.wire.ts';

interface StatsFilter {
  programId?: string | undefined;
  period: Period;
}

/** Exact sums of the conversions of a period, to add up. */
const sumsOf = (ctx: Context, merchantId: string, { programId, period }: StatsFilter) => {
  const from = startOf(ctx, period);
  return conversionSums({ merchantId, programId, period: from && { from, to: null } }).as('sums');
};

/** For each currency. */
const totalsOf = (ctx: Context, merchantId: string, filter: StatsFilter) =>
  db
    .selectFrom(sumsOf(ctx, merchantId, filter))
    .select(({ fn }) => [
      'currency',
      fn.sum<number>('conversions').as('total'),
      fn.coalesce(fn.sum<number>('conversions').filterWhere('status', '=', 'pending'), sql.lit(0)).as('pending'),
      fn.coalesce(fn.sum<number>('conversions').filterWhere('status', '=', 'approved'), sql.lit(0)).as('approved'),
      fn.coalesce(fn.sum<number>('revenue').filterWhere('status', '<>', 'rejected'), sql.lit(0)).as('totalRevenue'),
      fn.sum<number>('commission').as('totalCommissions'),
    ])
    .groupBy('currency')
    .having(({ fn }) => fn.sum('conversions'), '>', sql.lit(0))
    .as('counted');

/** When the last conversion of each currency was created. Reads one row per program. */
const latestByCurrency = (merchantId: string, programId: string | undefined) =>
  db
    .selectFrom('program as p')
    .crossJoinLateral((eb) =>
      eb
        .selectFrom('conversion')
        .select(['conversion.currency', 'conversion.createdAt'])
        .whereRef('conversion.programId', '=', 'p.id')
        .orderBy('conversion.createdAt', 'desc')
        .orderBy('conversion.id', 'desc')
        .limit(sql.lit(1))
        .as('c'),
    )
    .select(({ fn }) => ['c.currency', fn.max('c.createdAt').as('soldAt')])
    .where('p.merchantId', '=', merchantId)
    .$if(programId !== undefined, (query) => query.where('p.id', '=', programId ?? ''))
    .groupBy('c.currency')
    .as('latest');

const ZERO_TOTALS = { total: 0, pending: 0, approved: 0, held: 0, totalRevenue: 0, totalCommissions: 0 };

/**
 * The totals at the top are those of the main currency, zero when it has none; `byCurrency` begins with it, and continues with that of
 * the most recent conversion. Exact: the sums hold everything but what is held, which is counted.
 */
export const getConversionStats = async (ctx: Context, merchantId: string, filter: StatsFilter): Promise<ConversionStats> => {
  const { programId } = filter;
  const held = db
    .selectFrom(heldConversions(sql`${merchantId}`, { programId, from: startOf(ctx, filter.period) }).as('found'))
    .select(({ fn }) => ['currency', fn.countAll<number>().as('held')])
    .groupBy('currency')
    .as('holds');
  const currency = await findMainCurrency(ctx, merchantId, programId);
  const byCurrency = await rows(
    ctx.em,
    db
      .selectFrom(totalsOf(ctx, merchantId, filter))
      .leftJoin(held, 'holds.currency', 'counted.currency')
      .leftJoin(latestByCurrency(merchantId, programId), 'latest.currency', 'counted.currency')
      .select(['counted.currency', 'counted.total', 'counted.pending', 'counted.approved'])
      .select(({ fn }) => ['counted.totalRevenue', 'counted.totalCommissions', fn.coalesce('holds.held', sql.lit(0)).as('held')])
      .orderBy(sql`counted.currency = ${currency}`, 'desc')
      .orderBy('latest.soldAt', (order) => order.desc().nullsLast())
      .orderBy('counted.currency'),
  );
  const main = byCurrency.find((sums) => sums.currency === currency) ?? ZERO_TOTALS;
  return { ...main, ...(await countCustomers(ctx, merchantId, filter)), currency, byCurrency };
};

/** Conversions of the period, and the affiliates of today. NOT_FOUND when there is no such program, FORBIDDEN for another merchant's. */
export const getProgramStats = async (ctx: Context, programId: string, period: Period): Promise<ProgramStatsView> => {
  const { name, status, currency, merchantId } = await readOwnedProgram(ctx, programId);
  const affiliates = countedTotal('affiliate', merchantId, { programId, statuses: ['approved'] });
  const totals = await firstRow(
    ctx.em,
    db.selectFrom(sumsOf(ctx, merchantId, { programId, period })).select(({ fn }) => {
      const orZero = (sum: ReturnType<typeof fn.sum<number>>) => fn.coalesce(sum, sql.lit(0));
      const inStatus = (of: ConversionStatus) => orZero(fn.sum<number>('conversions').filterWhere('status', '=', of));
      return [
        orZero(fn.sum<number>('revenue').filterWhere('status', '<>', 'rejected')).as('totalRevenue'),
        orZero(fn.sum<number>('conversions')).as('totalConversions'),
        orZero(fn.sum<number>('commission')).as('totalCommissions'),
        orZero(fn.sum<number>('unapproved').filterWhere('status', '<>', 'rejected')).as('pendingCommissions'),
        sql<number>`${affiliates}`.as('activeAffiliates'),
        inStatus('pending').as('pending'),
        inStatus('approved').as('approved'),
        inStatus('partially_refunded').as('partiallyRefunded'),
        inStatus('rejected').as('rejected'),
        inStatus('refunded').as('refunded'),
      ];
    }),
  );
  invariant(totals, 'an aggregate has one row');
  const { pending, approved, partiallyRefunded, rejected, refunded, ...sums } = totals;
  const conversionsByStatus = { pending, approved, partiallyRefunded, rejected, refunded };
  const counts = await countCustomers(ctx, merchantId, { programId, period });
  return { programId, programName: name, status, currency, ...sums, ...counts, conversionsByStatus };
};
