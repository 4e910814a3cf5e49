import type { Period } from '../../../contracts/conversions.ts';
import type { Context } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { sql } from '../../../platform/database/sql.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { getOwnAffiliate } from '../../affiliates/index.ts';
import { db } from '../../tables.ts';
import { startOf } from '../conversions.queries.ts';
import { type EarningView, toEarning } from './earnings.wire.ts';

/**
 * Both halves have the same types and no condition of their own, so that each is read by an index in the order of the list. An
 * adjustment without a type is not manual.
 */
const earning = db
  .selectFrom('conversion')
  .select(['id', 'affiliateId', sql<EarningView['type'] | null>`'commission'`.as('type'), 'commission as amount', 'status'])
  .select([sql<number | null>`amount`.as('saleAmount'), sql<number | null>`refunded`.as('refunded')])
  .select([sql<string | null>`release_at`.as('releaseAt'), 'includedIn', 'createdAt'])
  .unionAll(
    db
      .selectFrom('commission_adjustment')
      .select(['id', 'affiliateId', 'kind as type', 'amount', sql<'approved'>`'approved'`.as('status')])
      .select([sql<number | null>`null::bigint`.as('saleAmount'), sql<number | null>`null::bigint`.as('refunded')])
      .select([sql<string | null>`null::timestamptz(3)`.as('releaseAt'), 'includedIn', 'createdAt']),
  )
  .as('earning');

/** A look-up for each row of the page: for `exists`, the planner would read all payouts. */
const status = sql<EarningView['status']>`case when status not in ('refunded','rejected')
    and (select payout.status from payout where payout.id = included_in) = 'completed'
  then 'paid' else status end`;

interface EarningFilter {
  affiliateId: string;
  programId: string;
  from: string | undefined;
}

const earnings = list({
  name: ({ programId }: EarningFilter) => `earnings-${programId}`,
  query: ({ affiliateId, programId, from }: Given<EarningFilter>) => {
    const query = db
      .selectFrom(earning)
      .select(['id', 'type', 'amount', 'saleAmount', 'refunded as refundedAmount', 'releaseAt as availableAt', 'createdAt'])
      .select(['includedIn as payoutId', status.as('status'), sql<string>`${programId}::uuid`.as('programId')])
      .select(sql<string>`(select currency from program where program.id = ${programId})`.as('currency'))
      .where('affiliateId', '=', affiliateId)
      .where('type', 'is not', null)
      .$narrowType<{ type: EarningView['type'] }>();
    return from ? query.where('createdAt', '>=', from) : query;
  },
  toItem: toEarning,
});

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
  return earnings(ctx, page, { affiliateId: id, programId, from: startOf(ctx, period)?.toISOString() });
};
