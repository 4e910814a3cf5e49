import * as wf from '@temporalio/workflow';
import { RAILS, railKind } from '../src/contracts/rails.ts';
import type {
  PayoutActivities,
  PayoutLifecycleInput,
  PayoutLifecycleResult,
  PayoutSnapshot,
} from '../src/contracts/workflows.ts';
import { database, partner } from './support/activity-options.ts';
import { isSettled, type PayoutProgress, trackPayout } from './support/payout-progress.ts';

const { startAttempt, remindPayout, settlePayout } = wf.proxyActivities<PayoutActivities>(database);
const provider = wf.proxyActivities<PayoutActivities>(partner);

/** From the creation of a payout until it is completed or failed. Postgres holds the state; this decides the next step. */
export async function payoutLifecycle(input: PayoutLifecycleInput): Promise<PayoutLifecycleResult> {
  const progress = trackPayout();
  const payout = railKind(input.rail) === 'manual' ? await payManually(input, progress) : await payByProvider(input, progress);
  return {
    status: payout.status,
    amountMinor: input.amountMinor,
    currency: input.currency,
    rail: input.rail,
    attempts: payout.attempts,
    failureCode: payout.failureCode,
  };
}

/** Sends the payout, then waits for the provider: for a notification, with a status look-up whenever none arrives in time. */
const payByProvider = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<PayoutSnapshot> => {
  const { payoutId, timing } = input;
  const { label } = RAILS[input.rail];
  let payout = progress.update(await startAttempt.executeWithOptions({ summary: 'Reserve payment attempt' }, [{ payoutId }]));
  if (payout.status === 'processing' && payout.attemptId !== null) {
    const { attemptId } = payout;
    payout = progress.update(
      await provider.submitAttempt.executeWithOptions({ summary: `Send to ${label}` }, [{ payoutId, attemptId }]),
    );
  }
  for (let lookUps = 0; !isSettled(payout); ) {
    await continueAsNewIfSuggested(input);
    const delayMs = Math.min(timing.lookUpMs * 2 ** Math.min(lookUps, 30), timing.lookUpMaxMs);
    const nextCheck = new Date(Date.now() + delayMs).toISOString().slice(11, 16);
    const lookUp = !(await progress.waitForChange(`${label} to confirm (next check ${nextCheck} UTC)`, delayMs));
    if (lookUp) lookUps++;
    const summary = lookUp ? `Check status with ${label}` : 'Apply provider update';
    payout = progress.update(await provider.settlePayout.executeWithOptions({ summary }, [{ payoutId, lookUp }]));
  }
  return payout;
};

/** Waits for finance to record the outcome of the payment, with reminders until then. */
const payManually = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<PayoutSnapshot> => {
  const { payoutId } = input;
  const { remindAfterMs } = input.timing;
  let payout = progress.update(await startAttempt.executeWithOptions({ summary: 'Load payout' }, [{ payoutId }]));
  for (let reminder = 0; !isSettled(payout); ) {
    await continueAsNewIfSuggested(input);
    const dueMs = remindAfterMs[reminder];
    const delayMs = dueMs === undefined ? null : dueMs - (remindAfterMs[reminder - 1] ?? 0);
    if (await progress.waitForChange('finance to pay and mark as paid', delayMs)) {
      payout = progress.update(await settlePayout.executeWithOptions({ summary: 'Load payout' }, [{ payoutId, lookUp: false }]));
    } else {
      reminder++;
      const last = reminder >= remindAfterMs.length;
      payout = progress.update(
        await remindPayout.executeWithOptions({ summary: `Record reminder ${reminder}` }, [{ payoutId, reminder, last }]),
      );
    }
  }
  return payout;
};

const continueAsNewIfSuggested = async (input: PayoutLifecycleInput): Promise<void> => {
  if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof payoutLifecycle>(input);
};
