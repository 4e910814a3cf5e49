import * as wf from '@temporalio/workflow';
import type { ScreeningActivities, ScreeningInput } from '../src/contracts/screening.ts';
import { QUEUES, SIGNALS } from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { database } from './support/activity-options.ts';
import { trackScreening } from './support/screening-progress.ts';

export const wake = wf.defineSignal(SIGNALS.wake);

/**
 * Screens the conversions of one shard until none is left and no wake-up came for `idleMs`. Which conversions wait is read from
 * Postgres; nothing of them is in this history. A requested cancellation has no effect: an unscreened commission is never paid.
 */
export async function screening(input: ScreeningInput): Promise<{ screened: number }> {
  return wf.CancellationScope.nonCancellable(() => screenUntilIdle(input));
}

const screenUntilIdle = async ({ shard, idleMs }: ScreeningInput): Promise<{ screened: number }> => {
  const { screenShard } = activitiesOn<ScreeningActivities>(QUEUES.reviews, database);
  let isWoken = false;
  wf.setHandler(wake, () => {
    isWoken = true;
  });
  const progress = trackScreening(shard);
  let more = false;
  do {
    isWoken = false;
    const summary = `Screen new conversions of shard ${shard}`;
    const result = await screenShard.executeWithOptions({ summary }, [{ shard }]);
    progress.take(result);
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof screening>({ shard, idleMs });
    more = result.more;
  } while (more || isWoken || (await wf.condition(() => isWoken, idleMs)));
  return { screened: progress.screened };
};
