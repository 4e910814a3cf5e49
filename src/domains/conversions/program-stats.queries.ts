import type { ConversionStatus, Period } from '../../contracts/conversions.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { CONVERSION_SUMS, countedTotal } from '../merchants/index.ts';
import { getProgramOf } from '../programs/index.ts';
import { startOf } from './conversions.queries.ts';
import type { ProgramStatsView } from './program-stats.wire.ts';

type Totals = Omit<ProgramStatsView, 'programId' | 'programName' | 'status' | 'currency' | 'conversionsByStatus'> &
  ProgramStatsView['conversionsByStatus'];

const STATUSES: Readonly<Record<keyof ProgramStatsView['conversionsByStatus'], ConversionStatus>> = {
  pending: 'pending',
  approved: 'approved',
  partiallyRefunded: 'partially_refunded',
  rejected: 'rejected',
  refunded: 'refunded',
};

const countOf = (name: string, status: ConversionStatus) =>
  sql`${sql`coalesce(sum(conversions) filter (where status = ${status}), 0)::int`.as(name)}`;

/** Conversions of the period, and the affiliates of today. NOT_FOUND when there is no such program, FORBIDDEN for another merchant's. */
export const getProgramStats = async (ctx: Context, programId: string, period: Period): Promise<ProgramStatsView> => {
  const { name, status, currency, merchantId } = await getProgramOf(ctx, programId, merchantOf(ctx));
  const affiliates = countedTotal('affiliate', merchantId, { programId, statuses: ['approved'] });
  const from = startOf(ctx, period);
  const totals = await firstRow(
    ctx.em,
    sql<Totals>`select coalesce(sum(revenue) filter (where status <> 'rejected'), 0)::float8 as "totalRevenue",
        coalesce(sum(conversions), 0)::int as "totalConversions", coalesce(sum(commission), 0)::float8 as "totalCommissions",
        coalesce(sum(unapproved) filter (where status <> 'rejected'), 0)::float8 as "pendingCommissions",
        (${affiliates}) as "activeAffiliates", ${sql.join(Object.entries(STATUSES).map(([name, status]) => countOf(name, status)))}
      from ${CONVERSION_SUMS.ofPeriod({ merchantId, programId, period: from && { from, to: null } })} as counted`,
  );
  invariant(totals, 'an aggregate has one row');
  const { pending, approved, partiallyRefunded, rejected, refunded, ...sums } = totals;
  const conversionsByStatus = { pending, approved, partiallyRefunded, rejected, refunded };
  return { programId, programName: name, status, currency, ...sums, conversionsByStatus };
};
