import * as wf from '@temporalio/workflow';
import { RAILS, type Rail, railKind } from '../src/contracts/rails.ts';
import {
  type PayoutActivities,
  type PayoutLifecycleInput,
  type PayoutLifecycleResult,
  type PayoutSnapshot,
  QUEUES,
  railQueue,
} from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { database, partner } from './support/activity-options.ts';
import { ignoreCancellation } from './support/ignore-cancellation.ts';
import { isFinal } from './support/payout-details.ts';
import { type PayoutProgress, trackPayout } from './support/payout-progress.ts';
import { endPayout } from './support/payout-result.ts';

const steps = () => activitiesOn<PayoutActivities>(QUEUES.payouts, database);
const provider = (rail: Rail) => activitiesOn<PayoutActivities>(railQueue(rail), partner);

/**
 * From the creation of a payout until it is completed; a failed payout ends it as Failed. Postgres holds the state; this
 * decides the next step, so a run that is started again continues where the last one was lost. Whoever changes the payout
 * signals the new state, so the end of a payout needs no further step.
 */
export async function payoutLifecycle(input: PayoutLifecycleInput): Promise<PayoutLifecycleResult> {
  const { payoutId } = input;
  const record = () =>
    steps().recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  return ignoreCancellation(record, async () => {
    const progress = trackPayout(input);
    await (railKind(input.rail) === 'manual' ? payManually : payByProvider)(input, progress);
    return endPayout(input, progress.payout);
  });
}

/** Sends the payout, then waits for the provider: for a notification, with a status look-up whenever none arrives in time. */
const payByProvider = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<void> => {
  const { payoutId } = input;
  const { label } = RAILS[input.rail];
  const { sendPayout, lookUpPayout } = provider(input.rail);
  const send = () => progress.run(sendPayout.executeWithOptions({ summary: `Send to ${label}` }, [{ payoutId }]));
  const lookUp = () => progress.run(lookUpPayout.executeWithOptions({ summary: `Check status with ${label}` }, [{ payoutId }]));
  if (progress.payout.status === 'pending') await send();
  for (let lookUps = 0; !isFinal(progress.payout); ) {
    await continueAsNewIfSuggested(input);
    const next = { label: 'next look-up', atMs: nextLookUp(input, progress.payout, lookUps) };
    const isChanged = await progress.waitForChange({ what: waitingFor(progress.payout, label), next });
    if (!isChanged) lookUps++;
    if (progress.payout.status === 'pending') await send();
    else if (!isChanged) await lookUp();
  }
};

const ON_HOLD = 'a contradiction of another payout to be resolved';

const waitingFor = (payout: PayoutSnapshot, label: string): string => {
  if (payout.onHold) return ON_HOLD;
  if (payout.needsAttention) return 'a person to decide';
  return payout.status === 'pending' ? 'its first attempt' : `${label} to confirm`;
};

/** Of the pause before a look-up, so that payouts that were sent together are not looked up together. */
const JITTER = 0.2;

/** Backs off, and is never later than the next permitted send. */
const nextLookUp = ({ timing }: PayoutLifecycleInput, { resendAt }: PayoutSnapshot, lookUps: number): number => {
  const now = Date.now();
  const pauseMs = Math.min(timing.lookUpMs * 2 ** Math.min(lookUps, 30), timing.lookUpMaxMs);
  const untilMs = now + Math.round(pauseMs * (1 - JITTER * Math.random()));
  const resendMs = resendAt === null ? 0 : Date.parse(resendAt);
  return resendMs > now ? Math.min(untilMs, resendMs) : untilMs;
};

/** Waits for finance to record the outcome of the payment, with reminders until then. */
const payManually = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<void> => {
  const { payoutId } = input;
  const { remindAfterMs } = input.timing;
  const createdMs = Date.parse(input.createdAt);
  const { loadPayout, remindPayout } = steps();
  const load = () => progress.run(loadPayout.executeWithOptions({ summary: 'Load payout' }, [{ payoutId }]));
  if (progress.payout.status === 'pending') await load();
  for (let reminder = 0; !isFinal(progress.payout); ) {
    await continueAsNewIfSuggested(input);
    const dueMs = remindAfterMs[reminder];
    const next = dueMs === undefined ? null : { label: 'next reminder', atMs: createdMs + dueMs };
    const what = progress.payout.onHold ? ON_HOLD : 'finance to pay and mark as paid';
    if (await progress.waitForChange({ what, next })) {
      if (progress.payout.status === 'pending') await load();
    } else {
      reminder++;
      const request = { payoutId, reminder, last: reminder >= remindAfterMs.length };
      await progress.run(remindPayout.executeWithOptions({ summary: `Record reminder ${reminder}` }, [request]));
    }
  }
};

const continueAsNewIfSuggested = async (input: PayoutLifecycleInput): Promise<void> => {
  if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof payoutLifecycle>(input);
};
