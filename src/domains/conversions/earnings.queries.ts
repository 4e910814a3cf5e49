import type { Period } from '../../contracts/conversions.ts';
import type { Context } from '../../platform/context.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { getOwnAffiliate } from '../affiliates/index.ts';
import { since } from './conversions.queries.ts';
import { type EarningRow, type EarningView, toEarning } from './earnings.wire.ts';

/**
 * Both halves have the same types and no condition of their own, so that each is read by an index in the order of the list. An
 * adjustment without a type is not manual.
 */
const EARNINGS = sql`(
  select id, affiliate_id, 'commission' as type, commission as amount, status, amount as sale_amount, refunded, release_at,
    included_in, created_at
  from conversion
  union all
  select id, affiliate_id, kind, amount, 'approved', null::bigint, null::bigint, null::timestamptz(3), included_in, created_at
  from commission_adjustment) as earning`;

/** A look-up for each row of the page: for `exists`, the planner would read all payouts. */
const isPaid = sql`status not in ('refunded','rejected')
  and (select payout.status from payout where payout.id = included_in) = 'completed'`;

const columnsIn = (programId: string) => sql<EarningRow>`id, ${programId}::uuid as "programId", type, amount::float8 as amount,
  (select currency from program where program.id = ${programId}::uuid) as currency,
  case when ${isPaid} then 'paid' else status end as status, sale_amount::float8 as "saleAmount",
  refunded::float8 as "refundedAmount", release_at as "availableAt", included_in as "payoutId", created_at as "createdAt"`;

/**
 * Commissions, after refunds, and manual adjustments of the caller in one program, newest first. NOT_FOUND for a missing
 * program, FORBIDDEN for one that the caller has not joined.
 */
export const listProgramEarnings = async (
  ctx: Context,
  programId: string,
  { period, ...page }: PageQuery & { period: Period },
): Promise<Page<EarningView>> => {
  const { id } = await getOwnAffiliate(ctx, programId);
  return listPage<EarningRow, EarningView>(ctx, page, {
    name: `earnings-${programId}`,
    columns: columnsIn(programId),
    from: EARNINGS,
    where: [sql`affiliate_id = ${id}::uuid and type is not null`, since(ctx, period)],
    toItem: toEarning,
  });
};
