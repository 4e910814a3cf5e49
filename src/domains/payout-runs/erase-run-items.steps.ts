import type { ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

/** Where runs meant to pay a person. One whose turn has not come is left out: there is nowhere to pay. */
export const eraseRunItems = async (ctx: Context, { members }: ErasedProfile): Promise<void> => {
  await execute(
    ctx.em,
    sql`update payout_run_item set destination = null, destination_hash = null where affiliate_id = any(${members}::uuid[])`,
  );
};
