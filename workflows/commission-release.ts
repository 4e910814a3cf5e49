import * as wf from '@temporalio/workflow';
import type { ReleaseActivities } from '../src/contracts/workflows.ts';
import { database } from './support/activity-options.ts';

const { releaseCommissions } = wf.proxyActivities<ReleaseActivities>(database);

const BATCH = 200;
const MAX_BATCHES = 100;

/** Approves commissions whose hold is over. What a run leaves, the next one of the schedule takes. */
export async function commissionRelease(): Promise<{ released: number }> {
  let released = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const done = await releaseCommissions({ limit: BATCH });
    released += done.released;
    if (!done.more) break;
  }
  return { released };
}
