import type { Period } from '../../contracts/conversions.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { allOf, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { countedTotal } from '../merchants/index.ts';
import { getProgramOf } from '../programs/index.ts';
import { since } from './conversions.queries.ts';
import type { ProgramStatsView } from './program-stats.wire.ts';

type Totals = Omit<ProgramStatsView, 'programId' | 'programName' | 'status' | 'currency' | 'conversionsByStatus'> &
  ProgramStatsView['conversionsByStatus'];

/** Conversions of the period, and the affiliates of today. NOT_FOUND when there is no such program, FORBIDDEN for another merchant's. */
export const getProgramStats = async (ctx: Context, programId: string, period: Period): Promise<ProgramStatsView> => {
  const { name, status, currency, merchantId } = await getProgramOf(ctx, programId, merchantOf(ctx));
  const affiliates = countedTotal('affiliate', merchantId, { programId, statuses: ['approved'] });
  const totals = await firstRow(
    ctx.em,
    sql<Totals>`select coalesce(sum(amount - refunded) filter (where status <> 'rejected'), 0)::float8 as "totalRevenue",
        count(*)::int as "totalConversions", coalesce(sum(commission), 0)::float8 as "totalCommissions",
        coalesce(sum(commission) filter (where approved_at is null and status <> 'rejected'), 0)::float8 as "pendingCommissions",
        (${affiliates}) as "activeAffiliates",
        count(*) filter (where status = 'pending')::int as pending, count(*) filter (where status = 'approved')::int as approved,
        count(*) filter (where status = 'partially_refunded')::int as "partiallyRefunded",
        count(*) filter (where status = 'rejected')::int as rejected, count(*) filter (where status = 'refunded')::int as refunded
      from conversion where ${allOf([sql`program_id = ${programId}::uuid`, since(ctx, period)])}`,
  );
  invariant(totals, 'an aggregate has one row');
  const { pending, approved, partiallyRefunded, rejected, refunded, ...sums } = totals;
  const conversionsByStatus = { pending, approved, partiallyRefunded, rejected, refunded };
  return { programId, programName: name, status, currency, ...sums, conversionsByStatus };
};
