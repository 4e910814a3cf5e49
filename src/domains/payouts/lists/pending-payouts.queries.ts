import { COUNT_MAX } from '../../../contracts/limits.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { list, type Window } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { findRejections, openPayoutDestination, payoutDestination } from '../../affiliates/index.ts';
import { heldAffiliates, heldCommissionsOf, payableCountOf } from '../../conversions/index.ts';
import { countedTotal } from '../../merchants/index.ts';
import { db } from '../../tables.ts';
import { type PendingAffiliateView, toPendingAffiliate } from '../payouts.wire.ts';

type Filter = Given<{ merchantId: string; programId: string | undefined }>;

/** An array: the affiliates of the page are read first, and nothing is asked of those before and after it. */
const pendingAffiliates = ({ merchantId, programId }: Filter, { afterId, upTo }: Window) => {
  const owed = db
    .selectFrom('ledger_balance as b')
    .select('b.affiliateId as id')
    .where('b.merchantId', '=', merchantId)
    .where('b.payable', '>', sql.lit(0))
    .$if(programId !== undefined, (query) => query.where(sql<boolean>`b.program_id = ${programId}`))
    .$if(afterId !== undefined, (query) => query.where(sql<boolean>`b.affiliate_id < ${afterId}::uuid`))
    .orderBy('b.affiliateId', 'desc')
    .limit(upTo);
  return sql<readonly string[]>`array(select id from (
    (${owed}) union all select id from ${heldAffiliates({ merchantId, programId }, { afterId, upTo })} as h) as pending
    order by id desc limit ${upTo})`;
};

const pendingPayouts = list({
  name: 'pending-affiliates',
  query: (filter: Filter, window) =>
    db
      .selectFrom('ledger_balance as b')
      // The limit keeps the planner from a merge join, which reads the affiliates of all merchants from the newest on.
      .innerJoinLateral(
        ({ selectFrom }) => selectFrom('affiliate').selectAll().whereRef('id', '=', 'b.affiliateId').limit(sql.lit(1)).as('a'),
        (join) => join.onTrue(),
      )
      .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
      .innerJoin('merchant as m', 'm.id', 'a.merchantId')
      .innerJoin('program as p', 'p.id', 'a.programId')
      .crossJoinLateral(heldCommissionsOf(sql.ref('a.id')).as('held'))
      .select(payoutDestination)
      .select(['f.email', 'a.code', 'p.id as programId', 'p.name as programName', 'b.currency', 'a.payoutsPaused'])
      .select(['held.amount as heldAmount', 'held.disputed as disputedAmount', 'p.payoutThreshold as threshold'])
      .select(['held.unapproved', 'held.unapprovedDisputed'])
      .select(({ eb }) => [
        sql<string>`coalesce(case when not a.profile_hidden then f.name end, a.name)`.as('name'),
        eb('b.payable', '-', eb.ref('held.amount')).as('pendingAmount'),
        sql<boolean>`a.status = 'blocked'`.as('blocked'),
        sql<number>`(${payableCountOf(sql`a.id`, sql`held.flagged`)})`.as('commissionCount'),
      ])
      .where('b.affiliateId', '=', anyOf(pendingAffiliates(filter, window))),
  // Balances have a counter. Those of whom all is held are as many as merchants have flags and disputes to decide. A
  // template: the sum of two counts.
  total: ({ merchantId, programId }) => sql`select (${countedTotal('owed', merchantId, { programId })}) + (select count(*)
    from ${heldAffiliates({ merchantId, programId }, { upTo: sql.lit(COUNT_MAX) })} as h) as total`,
  sort: { key: sql.ref('b.affiliateId'), id: sql.ref('b.affiliateId'), type: 'uuid', ascending: false },
  toItem: (row, ctx) => ({ row, destination: openPayoutDestination(ctx, row) }),
});

/**
 * Affiliates with a balance, payable or held, approved or not, newest first (by their ids, which are in the order of creation),
 * including those who are blocked or paused, below the threshold or without a payout method.
 */
export const listPendingPayouts = async (
  ctx: Context,
  { programId, ...query }: PageQuery & { programId?: string | undefined },
): Promise<Page<PendingAffiliateView>> => {
  const merchantId = merchantOf(ctx);
  const page = await pendingPayouts(ctx, query, { merchantId, programId });
  const payees = page.items.map(({ destination: { details, detailsSince } }) => ({ merchantId, details, detailsSince }));
  const rejections = await findRejections(ctx, payees);
  const items = page.items.map(({ row, destination }, n) =>
    toPendingAffiliate(row, { ...destination, rejection: rejections[n] ?? null }),
  );
  return { ...page, items };
};
