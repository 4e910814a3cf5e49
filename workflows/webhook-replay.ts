import * as wf from '@temporalio/workflow';
import type { ReplayActivities, ReplayInput, ReplayProgress } from '../src/contracts/webhooks.ts';
import { QUEUES } from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { database } from './support/activity-options.ts';
import { describeReplay } from './support/replay-details.ts';

const INITIAL: ReplayProgress = { state: 'running', cancelReason: null, eventsExamined: 0, deliveriesQueued: 0, waitMs: 0 };

/**
 * Queues deliveries of past events for the lane of their endpoint, after all others. How far it got is in the replay's row. A
 * cancellation that is requested here has no effect: only the API cancels a replay.
 */
export async function webhookReplay(input: ReplayInput): Promise<ReplayProgress> {
  return wf.CancellationScope.nonCancellable(() => replayAll(input));
}

const replayAll = async (input: ReplayInput): Promise<ReplayProgress> => {
  const { continueReplay } = activitiesOn<ReplayActivities>(QUEUES.webhooks, database);
  let progress = INITIAL;
  for (;;) {
    wf.setCurrentDetails(describeReplay(input, progress));
    progress = await continueReplay.executeWithOptions({ summary: 'Queue deliveries of the next events' }, [
      { replayId: input.replayId },
    ]);
    if (progress.state !== 'running') break;
    if (progress.waitMs > 0) await waitForCommits(input, progress);
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof webhookReplay>(input);
  }
  wf.setCurrentDetails(describeReplay(input, progress));
  wf.upsertSearchAttributes([{ key: { name: 'State', type: 'KEYWORD' }, value: progress.state }]);
  return progress;
};

/** What was changed shortly before the replay may not be committed yet. */
const waitForCommits = async (input: ReplayInput, progress: ReplayProgress): Promise<void> => {
  wf.setCurrentDetails(describeReplay(input, progress));
  await wf.sleep(progress.waitMs, { summary: 'Waiting for changes that are still being committed' });
};
