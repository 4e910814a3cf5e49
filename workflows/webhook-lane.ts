import * as wf from '@temporalio/workflow';
import type { LaneActivities, LaneInput } from '../src/contracts/webhooks.ts';
import { QUEUES } from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { lane as laneOptions } from './support/activity-options.ts';
import { formatTime } from './support/payout-details.ts';

/**
 * Sends the first attempts of the deliveries of one lane, for as long as the setting has that many lanes. A delivery whose first attempt fails gets a
 * `webhookDelivery` workflow. Which deliveries wait is read from Postgres; nothing of it is in this history. A requested
 * cancellation has no effect: without its lane, an event would reach nobody.
 */
export async function webhookLane({ lane }: LaneInput): Promise<void> {
  await wf.CancellationScope.nonCancellable(() => drainForever(lane));
}

const drainForever = async (lane: number): Promise<void> => {
  const title = `**Sends the first attempt of webhooks**, lane ${lane}. A failed attempt continues in a workflow of its own.`;
  const { drainLane } = activitiesOn<LaneActivities>(QUEUES.webhookLanes, laneOptions);
  wf.setCurrentDetails(title);
  for (;;) {
    const { succeeded, failed, isSurplus } = await drainLane.executeWithOptions({ summary: 'Send first attempts for a minute' }, [
      { lane },
    ]);
    wf.setCurrentDetails(`${title}\n\nIn the minute before ${formatTime(Date.now())}: ${succeeded} succeeded, ${failed} failed.`);
    if (isSurplus) return;
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof webhookLane>({ lane });
  }
};
