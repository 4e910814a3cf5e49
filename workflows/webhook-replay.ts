import * as wf from '@temporalio/workflow';
import type { ReplayActivities, ReplayInput, ReplayProgress } from '../src/contracts/webhooks.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { describeReplay, webhookReplay as descriptor } from '../src/contracts/workflows/webhook-replay.ts';
import { activitiesOn, database } from './support/activities.ts';
import { endAsCopy, isCopy, type Superseded } from './support/copy.ts';
import { publish } from './support/publish.ts';

/**
 * Queues deliveries of past events for the lane of their endpoint, after all others. How far it got is in the replay's row. A
 * cancellation that is requested here has no effect: only the API cancels a replay.
 */
export async function webhookReplay(input: ReplayInput): Promise<ReplayProgress | Superseded> {
  const own = descriptor.id(input.replayId);
  if (isCopy(own)) return endAsCopy('replay', own);
  return wf.CancellationScope.nonCancellable(() => replayAll(input));
}

const replayAll = async (input: ReplayInput): Promise<ReplayProgress> => {
  const { continueReplay } = activitiesOn<ReplayActivities>(QUEUES.webhooks, database);
  let progress: ReplayProgress = descriptor.initial;
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
  publish({ State: progress.state });
  return progress;
};

/** What was changed shortly before the replay may not be committed yet. */
const waitForCommits = async (input: ReplayInput, progress: ReplayProgress): Promise<void> => {
  wf.setCurrentDetails(describeReplay(input, progress));
  await wf.sleep(progress.waitMs, { summary: 'Waiting for changes that are still being committed' });
};
