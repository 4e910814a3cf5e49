import { type Context, onlyMerchantOf, profileOf } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { list, type Window } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { latestOf, payoutDestination } from '../../affiliates/index.ts';
import { heldCommissionsOf, nextReleaseOf } from '../../conversions/index.ts';
import { db } from '../../tables.ts';
import { assessPayees, nextItemsOf } from '../create/plan-payouts.steps.ts';
import { mySituationOf, type NewestPayout, newestPayoutOf } from '../payout-situation.queries.ts';
import { STANDING } from '../payout-state.queries.ts';
import { MERCHANT_RAILS } from '../rails/rail-choice.queries.ts';
import { type LatestPayout, type NextPaymentView, toNextPayment } from './next-payments.wire.ts';

interface Own {
  profileId: string;
  /** The only merchant that is shown. */
  merchantId: string | undefined;
  now: string;
}

const membershipsOf = ({ profileId, merchantId }: Given<Pick<Own, 'profileId' | 'merchantId'>>) => {
  const all = db.selectFrom('affiliate').select('id').where('profileId', '=', profileId);
  return merchantId === undefined ? all : all.where('merchantId', '=', merchantId);
};

/** An array: the memberships of the page are read first, and nothing is asked of those before and after it. */
const ownMemberships = (given: Given<Own>, { afterId, upTo }: Window) => {
  const own = membershipsOf(given)
    .$if(afterId !== undefined, (query) => query.where(sql<boolean>`program_id < ${afterId}::uuid`))
    .orderBy('programId', 'desc')
    .limit(upTo);
  return sql<readonly string[]>`array(${own})`;
};

/** What is held, where it explains why nothing is paid, or what is pending: each commission that a flag holds is read. */
const holdsOf = () =>
  sql<{ amount: number; disputed: number; unapproved: number }>`(select held.amount, held.disputed, held.unapproved
    from ${heldCommissionsOf(sql`a.id`)} as held where i.amount < p.payout_threshold or b.pending > 0)`.as('h');

const payees = list({
  name: 'next-payments',
  query: (given: Given<Own>, window) =>
    db
      .selectFrom('affiliate as a')
      .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
      .innerJoin('merchant as m', 'm.id', 'a.merchantId')
      .innerJoin('program as p', 'p.id', 'a.programId')
      // Whoever never earned anything has none.
      .leftJoin('ledger_balance as b', 'b.affiliateId', 'a.id')
      .crossJoinLateral(nextItemsOf())
      .leftJoinLateral(holdsOf(), (join) => join.onTrue())
      .select(payoutDestination)
      .select(STANDING)
      .select(MERCHANT_RAILS)
      .select(['a.merchantId', 'a.programId', 'p.name as programName', 'm.companyName', 'p.currency', 'p.payoutThreshold'])
      .select(['p.payoutFrequency', 'p.autoPayoutsAt as scheduledAt', 'i.amount', 'i.commissions'])
      .select(({ fn }) => [
        fn.coalesce('h.amount', sql<number>`0`).as('held'),
        fn.coalesce('h.disputed', sql<number>`0`).as('disputed'),
        fn.coalesce('b.payable', sql<number>`0`).as('payable'),
        fn.coalesce('b.pending', sql<number>`0`).as('pending'),
        fn.coalesce('b.inPayout', sql<number>`0`).as('inPayout'),
        newestPayoutOf().as('newestPayout'),
        fn.coalesce('h.unapproved', sql<number>`0`).as('onHold'),
        nextReleaseOf(sql`a.id`, given.now).as('nextReleaseAt'),
      ])
      .where('a.id', '=', anyOf(ownMemberships(given, window))),
  counted: membershipsOf,
  sort: { key: sql.ref('a.programId'), id: sql.ref('a.programId'), type: 'uuid', ascending: false },
  toItem: (row) => row,
});

/** States about which nothing is left to say. */
const SETTLED: readonly string[] = ['paid', 'cancelled'];

interface Latest {
  newestPayout: NewestPayout | null;
  detailsChangedAt: string | null;
  detailsConfirmedAt: string | null;
}

/** Says nothing about a failure that other details would have prevented, once they were changed or confirmed. */
const latestPayoutOf = (ctx: Context, row: Latest): LatestPayout | null => {
  if (row.newestPayout === null) return null;
  const { id, amount, createdAt, ...facts } = row.newestPayout;
  const situation = mySituationOf(facts, ctx);
  const detailsSince = latestOf(row.detailsChangedAt, row.detailsConfirmedAt);
  const isMended = situation.next === 'check_details' && detailsSince !== null && detailsSince > new Date(createdAt);
  return isMended || SETTLED.includes(situation.state) ? null : { id, amount, situation };
};

/** What the next payout of each program would pay the caller, or why nothing, by the rules of payouts and runs; the newest program first. */
export const listNextPayments = async (ctx: Context, query: PageQuery): Promise<Page<NextPaymentView>> => {
  const asOf = ctx.clock.now();
  const page = await payees(ctx, query, { profileId: profileOf(ctx), merchantId: onlyMerchantOf(ctx), now: asOf.toISOString() });
  const planned = new Map((await assessPayees(ctx, page.items, { asOf })).map((payee) => [payee.affiliateId, payee]));
  return {
    ...page,
    items: page.items.map((row) => {
      const payee = planned.get(row.affiliateId);
      invariant(payee, 'each payee is assessed');
      return toNextPayment(row, payee, latestPayoutOf(ctx, row));
    }),
  };
};
