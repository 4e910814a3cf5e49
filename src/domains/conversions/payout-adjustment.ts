import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

/** Adds an item for the next payout, in minor units and not zero, because of a payout. Moves no money itself. */
export const addPayoutAdjustment = (
  ctx: Context,
  { payoutId, affiliateId, amount }: { payoutId: string; affiliateId: string; amount: number },
): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into commission_adjustment (id, affiliate_id, payout_id, amount, created_at) values
      (${ctx.ids.next()}::uuid, ${affiliateId}::uuid, ${payoutId}::uuid, ${amount}::bigint,
       ${ctx.clock.now().toISOString()}::timestamptz)`,
  );
