import { actorName, type Context } from '../../platform/context.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { actorsOfLine, assertSecondActor } from '../auth/index.ts';
import { isUnapprovedBonus } from '../conversions/index.ts';
import { findItemsMadeByCaller } from '../payouts/index.ts';
import { db } from '../tables.ts';
import type { PayoutRun } from './payout-run.entity.ts';

/**
 * To whom the caller, or somebody of their line, added money that nobody approved. A payout that is not completed may fail, and the run
 * pays it after all.
 */
const findBonusesByCaller = async (ctx: Context, { id, asOf }: PayoutRun): Promise<string[]> => {
  const actors = actorsOfLine(actorName(ctx.actor));
  if (actors === null) return [];
  const adjusted = await rows(
    ctx.em,
    db
      .selectFrom('payout_run_item as i')
      .innerJoin('commission_adjustment as d', 'd.affiliateId', 'i.affiliateId')
      .select('i.affiliateId')
      .distinct()
      .where('i.runId', '=', id)
      .where('i.result', '=', 'planned')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('payout as o').select('o.id').whereRef('o.id', '=', 'd.includedIn').where('o.status', '=', 'completed'),
          ),
        ),
      )
      .where('d.createdAt', '<=', asOf.toISOString())
      .where('d.createdBy', '=', anyOf(actors))
      .where(isUnapprovedBonus),
  );
  return adjusted.map(({ affiliateId }) => affiliateId);
};

/** The affiliates whose items of a run the caller made: the account, a bonus, a credited sale, or terms. Templates: parts of a larger one. */
export const findMadeByCaller = async (ctx: Context, run: PayoutRun): Promise<string[]> => {
  const { id, merchantId, asOf } = run;
  const made = await findItemsMadeByCaller(ctx, {
    merchantId,
    madeAt: asOf,
    of: sql`select affiliate_id, program_id, destination_hash from payout_run_item where run_id = ${id}::uuid and result = 'planned'`,
    isPaid: (conversion) => sql`${conversion}.created_at <= ${asOf.toISOString()}::timestamptz and not exists (
      select from payout paid where paid.id = ${conversion}.included_in and paid.status = 'completed')`,
  });
  return [...new Set([...made, ...(await findBonusesByCaller(ctx, run))])];
};

/** Whoever made items of a run approves it without them. */
export const leaveOutMade = async (ctx: Context, runId: string, affiliateIds: readonly string[]): Promise<void> => {
  await execute(
    ctx.em,
    db
      .updateTable('payout_run_item')
      .set({ result: 'left_out', reason: 'SAME_ACTOR' })
      .where('runId', '=', runId)
      .where('affiliateId', '=', anyOf(affiliateIds)),
  );
};

/** The persons whom a run pays. */
const findPayees = async (ctx: Context, runId: string): Promise<string[]> => {
  const payees = await rows(
    ctx.em,
    db
      .selectFrom('payout_run_item as i')
      .innerJoin('affiliate as a', 'a.id', 'i.affiliateId')
      .select('a.profileId')
      .distinct()
      .where('i.runId', '=', runId)
      .where('i.result', '=', 'planned'),
  );
  return payees.map(({ profileId }) => profileId);
};

/** Throws SAME_ACTOR for whoever must not be the second actor of a run. `others`: further actors who had a part in it. */
export const assertMayApproveRun = async (ctx: Context, run: PayoutRun, others: readonly string[]): Promise<void> => {
  const { id, createdBy, createdAt: madeAt, confirmedBy, editedBy } = run;
  const makers = [...editedBy, ...(confirmedBy ? [confirmedBy] : []), ...others];
  await assertSecondActor(ctx, { createdBy, madeAt, others: makers, profileIds: await findPayees(ctx, id) });
};
