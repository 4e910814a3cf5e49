import { COUNT_MAX } from '../../../contracts/limits.ts';
import { MAX_RUN_AFFILIATES, type UnpayableReason } from '../../../contracts/payout-runs.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { list, type Window } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { findRejections, payoutDestination } from '../../affiliates/index.ts';
import { heldAffiliates, heldCommissionsOf, payableCountOf } from '../../conversions/index.ts';
import { countedTotal } from '../../merchants/index.ts';
import { db } from '../../tables.ts';
import { assessEach, type PlannedPayee, planPayouts, reasonOf } from '../create/plan-payouts.steps.ts';
import { STANDING } from '../payout-state.queries.ts';
import { type PendingAffiliateView, type PendingPayoutRow, toPendingAffiliate } from '../payouts.wire.ts';
import { MERCHANT_RAILS } from '../rails/rail-choice.queries.ts';

interface Wanted {
  merchantId: string;
  programId: string | undefined;
  /** Only these. */
  affiliateIds: readonly string[] | undefined;
}

type Filter = Given<Wanted>;

/** An array: the affiliates of the page are read first, and nothing is asked of those before and after it. */
const pendingAffiliates = ({ merchantId, programId, affiliateIds }: Filter, { afterId, upTo }: Window) => {
  if (affiliateIds !== undefined) return affiliateIds;
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
      .select(['f.email', 'a.code', 'p.id as programId', 'p.name as programName', 'b.currency', 'b.payable', 'a.merchantId'])
      .select(STANDING)
      .select(MERCHANT_RAILS)
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
  total: ({ merchantId, programId, affiliateIds }) =>
    affiliateIds === undefined
      ? sql`select (${countedTotal('owed', merchantId, { programId })}) + (select count(*)
    from ${heldAffiliates({ merchantId, programId }, { upTo: sql.lit(COUNT_MAX) })} as h) as total`
      : sql`select cardinality(${affiliateIds}::uuid[]) as total`,
  sort: { key: sql.ref('b.affiliateId'), id: sql.ref('b.affiliateId'), type: 'uuid', ascending: false },
  toItem: (row) => row,
});

/** As plans assess it. */
const payeeOf = <
  Row extends { pendingAmount: number; heldAmount: number; disputedAmount: number; threshold: number; commissionCount: number },
>(
  row: Row,
) => ({
  ...row,
  amount: row.pendingAmount,
  commissions: row.commissionCount,
  held: row.heldAmount,
  disputed: row.disputedAmount,
  payoutThreshold: row.threshold,
});

/** What is on hold explains more than that nothing is payable. */
const whyNotOf = (reason: UnpayableReason | null, { heldAmount, disputedAmount, unapproved, unapprovedDisputed }: Held) => {
  if (reason !== 'NOTHING_PAYABLE' || heldAmount + unapproved <= 0) return reason;
  return disputedAmount + unapprovedDisputed > 0 ? 'HELD_BY_DISPUTE' : 'HELD_BY_FLAG';
};

type Held = Pick<PendingPayoutRow, 'heldAmount' | 'disputedAmount' | 'unapproved' | 'unapprovedDisputed'>;

/** Whom a run would pay now: as many are looked at as a run can pay. */
export const planReady = async (ctx: Context, programId?: string): Promise<{ ready: PlannedPayee[]; isCapped: boolean }> => {
  const plan = { merchantId: merchantOf(ctx), asOf: ctx.clock.now(), programId, limit: MAX_RUN_AFFILIATES };
  const planned = await planPayouts(ctx, plan);
  return { ready: planned.filter(({ reason }) => reason === null), isCapped: planned.length === MAX_RUN_AFFILIATES };
};

/**
 * Affiliates with a balance, payable or held, approved or not, newest first (by their ids, which are in the order of creation),
 * including those who are blocked or paused, below the threshold or without a payout method.
 */
export const listPendingPayouts = async (
  ctx: Context,
  { programId, ready, ...query }: PageQuery & { programId?: string | undefined; ready?: boolean | undefined },
): Promise<Page<PendingAffiliateView>> => {
  const affiliateIds = ready ? (await planReady(ctx, programId)).ready.map(({ affiliateId }) => affiliateId) : undefined;
  const page = await pendingPayouts(ctx, query, { merchantId: merchantOf(ctx), programId, affiliateIds });
  const assessed = await assessEach(ctx, page.items.map(payeeOf), { asOf: ctx.clock.now() });
  const payees = assessed.map(({ merchantId, details, detailsSince }) => ({ merchantId, details, detailsSince }));
  const rejections = await findRejections(ctx, payees);
  const items = page.items.map((row, n) => {
    const payee = assessed[n];
    invariant(payee, 'each payee is assessed');
    const rejection = rejections[n] ?? null;
    const reason = whyNotOf(reasonOf(payee, rejection !== null), row);
    return toPendingAffiliate(row, { details: payee.details, cooldownUntil: payee.cooldownUntil, rejection, reason });
  });
  return { ...page, items };
};
