import type { Context } from '../../platform/context.ts';
import { rows } from '../../platform/database/sql.ts';
import { isUnapprovedBonus } from '../conversions/index.ts';
import { db } from '../tables.ts';
import type { PayoutRun } from './payout-run.entity.ts';

/** Who added money to what the run pays that nobody approved. A payout that is not completed may fail, and the run pays it after all. */
export const findBonusActors = async (ctx: Context, { id, asOf }: PayoutRun): Promise<string[]> => {
  const adjusted = await rows(
    ctx.em,
    db
      .selectFrom('payout_run_item as i')
      .innerJoin('commission_adjustment as d', 'd.affiliateId', 'i.affiliateId')
      .select('d.createdBy')
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
      .where(isUnapprovedBonus),
  );
  return adjusted.flatMap(({ createdBy }) => createdBy ?? []);
};

/** The persons whom a run pays. */
export const findPayees = async (ctx: Context, runId: string): Promise<string[]> => {
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
