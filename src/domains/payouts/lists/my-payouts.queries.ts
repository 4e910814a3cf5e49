import { type Context, onlyMerchantOf, profileOf } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { sql } from '../../../platform/database/sql.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { db } from '../../tables.ts';
import { paidAtIn } from '../manual/payment-time.steps.ts';
import { SITUATION } from '../payout-situation.queries.ts';
import { PAYOUT } from '../payouts.queries.ts';
import { type MyPayoutView, toMyPayout } from './my-payouts.wire.ts';

interface Shown {
  profileId: string;
  programId: string | undefined;
  /** The only merchant whose payouts are shown. */
  merchantId: string | undefined;
}

/** A day of the merchant who paid. */
const paidOn = sql<
  string | null
>`local_date(${paidAtIn('')}, (select timezone from merchant where id = payout.merchant_id))::text`;

const myPayouts = list({
  name: 'my-payouts',
  query: ({ profileId, programId, merchantId }: Given<Shown>) => {
    const all = db.selectFrom('payout').select(PAYOUT).select(SITUATION).select(paidOn.as('paidOn'));
    const query = merchantId === undefined ? all : all.where('merchantId', '=', merchantId);
    if (programId === undefined) return query.where('profileId', '=', profileId);
    const affiliate = db
      .selectFrom('affiliate')
      .select('id')
      .where('profileId', '=', profileId)
      .where('programId', '=', programId);
    return query.where('affiliateId', '=', affiliate);
  },
  toItem: toMyPayout,
});

/** Lists the caller's payouts in all programs or one, newest first. Another affiliate's program has none. */
export const listMyPayouts = (
  ctx: Context,
  { program_id: programId, ...page }: PageQuery & { program_id?: string | undefined },
): Promise<Page<MyPayoutView>> => myPayouts(ctx, page, { profileId: profileOf(ctx), programId, merchantId: onlyMerchantOf(ctx) });
