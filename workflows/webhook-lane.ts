import * as wf from '@temporalio/workflow';
import type { LaneActivities, LaneInput } from '../src/contracts/webhooks.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { describeLane } from '../src/contracts/workflows/webhook-lane.ts';
import { activitiesOn, lane as laneOptions } from './support/activities.ts';

/**
 * Sends the first attempts of the deliveries of one lane, for as long as the setting has that many lanes. A delivery whose first attempt fails gets a
 * `webhookDelivery` workflow. Which deliveries wait is read from Postgres; nothing of it is in this history. A requested
 * cancellation has no effect: without its lane, an event would reach nobody.
 */
export async function webhookLane({ lane }: LaneInput): Promise<void> {
  await wf.CancellationScope.nonCancellable(() => drainForever(lane));
}

const drainForever = async (lane: number): Promise<void> => {
  const { drainLane } = activitiesOn<LaneActivities>(QUEUES.webhookLanes, laneOptions);
  wf.setCurrentDetails(describeLane(lane));
  for (;;) {
    const report = await drainLane.executeWithOptions({ summary: 'Send first attempts for a minute' }, [{ lane }]);
    wf.setCurrentDetails(describeLane(lane, { ...report, nowMs: Date.now() }));
    if (report.isSurplus) return;
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof webhookLane>({ lane });
  }
};
