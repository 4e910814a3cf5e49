import * as wf from '@temporalio/workflow';
import { describeContradiction, describeResolved } from '../src/contracts/workflows/payout.texts.ts';
import {
  payoutContradiction as descriptor,
  type PayoutContradictionInput,
  type PayoutContradictionResult,
} from '../src/contracts/workflows/payout-contradiction.ts';
import { type PayoutActivities, type PayoutSnapshot, payoutAttributes } from '../src/contracts/workflows/payouts.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { activitiesOn, database } from './support/activities.ts';
import { ignoreCancellation } from './support/ignore-cancellation.ts';
import { publish, publishUnlessBrief } from './support/publish.ts';
import { onSignal } from './support/track.ts';

const steps = () => activitiesOn<PayoutActivities>(QUEUES.release, database);

/**
 * The provider reported a payout both paid and failed. Stays open until a person records which one is true; nothing is
 * booked until then.
 */
export async function payoutContradiction(input: PayoutContradictionInput): Promise<PayoutContradictionResult> {
  const { payoutId, amount, to, program, rail, method } = input;
  const record = () =>
    steps().recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  const payout = await ignoreCancellation(record, () => waitForResolution(input));
  return { amount, to, program, rail, method, status: payout.status, payoutId };
}

/** The payout is loaded again at each reminder too: the signal may have been sent to a run that was lost. */
const waitForResolution = async (input: PayoutContradictionInput): Promise<PayoutSnapshot> => {
  const { payoutId } = input;
  let signals = 0;
  onSignal(descriptor.signal, () => void signals++);
  const load = () => steps().loadPayout.executeWithOptions({ summary: 'Load payout' }, [{ payoutId }]);
  let payout = await load();
  for (let check = 0; payout.needsAttention && signals === 0; check++) {
    const untilMs = Date.now() + delayOf(input.timing.remindAfterMs, check);
    wf.setCurrentDetails(describeContradiction(input, payout));
    publishUnlessBrief(payoutAttributes(payout, untilMs));
    await wf.condition(() => signals > 0, untilMs - Date.now(), {
      summary: 'Waiting for a person to resolve the contradiction',
    });
    payout = await load();
  }
  wf.setCurrentDetails(describeResolved(input, payout));
  publish(payoutAttributes(payout, null));
  return payout;
};

/** The reminders, then the longest pause between them again and again. */
const delayOf = (remindAfterMs: readonly number[], check: number): number => {
  const pauses = remindAfterMs.map((ms, at) => ms - (remindAfterMs[at - 1] ?? 0));
  return pauses[check] ?? Math.max(...pauses, 1_000);
};
