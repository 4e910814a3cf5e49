import { type Context, profileOf } from '../../platform/context.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { type MyPayoutView, toMyPayout } from './my-payouts.wire.ts';
import { payoutColumns } from './payouts.queries.ts';
import type { PayoutLike } from './payouts.wire.ts';

/** Of the caller in all programs or one, newest first. Of another's program there are none. */
export const listMyPayouts = (
  ctx: Context,
  { program_id: programId, ...page }: PageQuery & { program_id?: string | undefined },
): Promise<Page<MyPayoutView>> =>
  listPage<PayoutLike, MyPayoutView>(ctx, page, {
    name: 'my-payouts',
    columns: payoutColumns,
    from: sql`payout`,
    where: [
      programId === undefined
        ? sql`profile_id = ${profileOf(ctx)}::uuid`
        : sql`affiliate_id = (select a.id from affiliate a
            where a.profile_id = ${profileOf(ctx)}::uuid and a.program_id = ${programId}::uuid)`,
    ],
    toItem: toMyPayout,
  });
