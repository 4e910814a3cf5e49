import * as wf from '@temporalio/workflow';
import type { LaneActivities, LaneInput, LaneReport } from '../src/contracts/webhooks.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { describeLane, webhookLane as descriptor } from '../src/contracts/workflows/webhook-lane.ts';
import { activitiesOn, idleLane, lane as laneOptions } from './support/activities.ts';
import { endAsCopy, isPrefixedCopy, type Superseded } from './support/copy.ts';

/**
 * Sends the first attempts of the deliveries of one lane, for as long as the setting has that many lanes. A delivery whose first attempt fails gets a
 * `webhookDelivery` workflow. Which deliveries wait is read from Postgres; nothing of it is in this history. A requested
 * cancellation has no effect: without its lane, an event would reach nobody.
 */
export async function webhookLane({ lane }: LaneInput): Promise<Superseded | undefined> {
  const own = descriptor.id(lane);
  if (isPrefixedCopy(own)) return endAsCopy('lane', own);
  await wf.CancellationScope.nonCancellable(() => drainForever(lane));
  return undefined;
}

const drainForever = async (lane: number): Promise<void> => {
  const busy = activitiesOn<LaneActivities>(QUEUES.webhookLanes, laneOptions).drainLane;
  const idle = activitiesOn<LaneActivities>(QUEUES.webhookLanes, idleLane).drainLane;
  let isIdle = false;
  wf.setCurrentDetails(describeLane(lane));
  for (;;) {
    const report: LaneReport = isIdle
      ? await idle.executeWithOptions({ summary: 'Wait for webhooks to send' }, [{ lane, isIdle }])
      : await busy.executeWithOptions({ summary: 'Send first attempts for a minute' }, [{ lane }]);
    isIdle = report.succeeded + report.failed === 0;
    wf.setCurrentDetails(describeLane(lane, { ...report, nowMs: Date.now() }));
    if (report.isSurplus) return;
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof webhookLane>({ lane });
  }
};
