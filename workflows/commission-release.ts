import * as wf from '@temporalio/workflow';
import type { ReleaseActivities } from '../src/contracts/workflows/commission-release.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { countOf } from '../src/contracts/workflows/text.ts';
import { activitiesOn, database } from './support/activities.ts';

const BATCH = 200;
const MAX_BATCHES = 100;

/** Approves commissions whose hold period has ended, up to 20,000 per run; the next scheduled run continues. */
export async function commissionRelease(): Promise<{ released: number }> {
  const { releaseCommissions } = activitiesOn<ReleaseActivities>(QUEUES.release, database);
  let approved = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const summary = `Approve up to ${BATCH} commissions`;
    const batchResult = await releaseCommissions.executeWithOptions({ summary }, [{ limit: BATCH }]);
    approved += batchResult.released;
    wf.setCurrentDetails(`**Approved** after their hold period: ${countOf(approved, 'commission')}.`);
    if (!batchResult.more) break;
  }
  return { released: approved };
}
