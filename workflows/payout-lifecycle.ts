import * as wf from '@temporalio/workflow';
import { RAILS, railKind } from '../src/contracts/rails.ts';
import type {
  PayoutActivities,
  PayoutLifecycleInput,
  PayoutLifecycleResult,
  PayoutSnapshot,
} from '../src/contracts/workflows.ts';
import { database, partner } from './support/activity-options.ts';
import { ignoreCancellation } from './support/ignore-cancellation.ts';
import { isSettled, type PayoutProgress, trackPayout } from './support/payout-progress.ts';
import { endPayout } from './support/payout-result.ts';

const { startAttempt, remindPayout, settlePayout, recordCancellationRequest } = wf.proxyActivities<PayoutActivities>(database);
const provider = wf.proxyActivities<PayoutActivities>(partner);

/**
 * From the creation of a payout until it is completed; a failed payout ends it as Failed. Postgres holds the state; this
 * decides the next step, so a run that is started again continues where the last one was lost.
 */
export async function payoutLifecycle(input: PayoutLifecycleInput): Promise<PayoutLifecycleResult> {
  const { payoutId } = input;
  const record = () =>
    recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  return ignoreCancellation(record, async () => {
    const progress = trackPayout(input);
    const pay = railKind(input.rail) === 'manual' ? payManually : payByProvider;
    return endPayout(input, await pay(input, progress));
  });
}

/** Sends the payout, then waits for the provider: for a notification, with a status look-up whenever none arrives in time. */
const payByProvider = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<PayoutSnapshot> => {
  const { payoutId } = input;
  const { label } = RAILS[input.rail];
  const start = async () =>
    progress.update(await startAttempt.executeWithOptions({ summary: 'Reserve payment attempt' }, [{ payoutId }]));
  const settle = async (lookUp: boolean) => {
    const summary = lookUp ? `Check status with ${label}` : 'Apply provider update';
    return progress.update(await provider.settlePayout.executeWithOptions({ summary }, [{ payoutId, lookUp }]));
  };
  let payout = await submitReserved(input, progress, await start());
  for (let lookUps = 0; !isSettled(payout); ) {
    await continueAsNewIfSuggested(input);
    const next = { label: 'next look-up', atMs: nextLookUp(input, payout, lookUps) };
    const isChanged = await progress.waitForChange({ what: waitingFor(payout, label), next });
    if (!isChanged) lookUps++;
    payout = payout.status === 'pending' ? await start() : await settle(!isChanged);
    payout = await submitReserved(input, progress, payout);
  }
  return payout;
};

/** Sends an attempt that was reserved and never sent. */
const submitReserved = async (
  input: PayoutLifecycleInput,
  progress: PayoutProgress,
  payout: PayoutSnapshot,
): Promise<PayoutSnapshot> => {
  const { payoutId } = input;
  const { attemptId } = payout;
  if (payout.status !== 'processing' || payout.attemptOutcome !== 'created' || attemptId === null) return payout;
  const summary = `Send to ${RAILS[input.rail].label}`;
  return progress.update(await provider.submitAttempt.executeWithOptions({ summary }, [{ payoutId, attemptId }]));
};

const waitingFor = (payout: PayoutSnapshot, label: string): string => {
  if (payout.onHold) return 'a contradiction of another payout to be resolved';
  if (payout.needsAttention) return 'a person to decide';
  return payout.status === 'pending' ? 'its first attempt' : `${label} to confirm`;
};

/** Backs off, and is never later than the next permitted send. */
const nextLookUp = ({ timing }: PayoutLifecycleInput, { resendAt }: PayoutSnapshot, lookUps: number): number => {
  const now = Date.now();
  const untilMs = now + Math.min(timing.lookUpMs * 2 ** Math.min(lookUps, 30), timing.lookUpMaxMs);
  const resendMs = resendAt === null ? 0 : Date.parse(resendAt);
  return resendMs > now ? Math.min(untilMs, resendMs) : untilMs;
};

/** Waits for finance to record the outcome of the payment, with reminders until then. */
const payManually = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<PayoutSnapshot> => {
  const { payoutId } = input;
  const { remindAfterMs } = input.timing;
  const createdMs = Date.parse(input.createdAt);
  let payout = progress.update(await startAttempt.executeWithOptions({ summary: 'Load payout' }, [{ payoutId }]));
  for (let reminder = 0; !isSettled(payout); ) {
    await continueAsNewIfSuggested(input);
    const dueMs = remindAfterMs[reminder];
    const next = dueMs === undefined ? null : { label: 'next reminder', atMs: createdMs + dueMs };
    if (await progress.waitForChange({ what: 'finance to pay and mark as paid', next })) {
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
