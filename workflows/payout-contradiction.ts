import * as wf from '@temporalio/workflow';
import {
  type PayoutActivities,
  type PayoutContradictionInput,
  type PayoutHeadline,
  type PayoutSnapshot,
  QUEUES,
  SIGNALS,
} from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { database } from './support/activity-options.ts';
import { describeContradiction } from './support/contradiction-details.ts';
import { ignoreCancellation } from './support/ignore-cancellation.ts';
import { payeeOf } from './support/payout-details.ts';
import { trackSearchAttributes } from './support/payout-search.ts';

const steps = () => activitiesOn<PayoutActivities>(QUEUES.release, database);
const resolved = wf.defineSignal(SIGNALS.contradictionResolved);

export interface PayoutContradictionResult extends PayoutHeadline {
  /** Of the payout, after a person resolved the contradiction. */
  status: PayoutSnapshot['status'];
  payoutId: string;
}

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
  wf.setHandler(resolved, () => void signals++);
  const search = trackSearchAttributes();
  const load = () => steps().loadPayout.executeWithOptions({ summary: 'Load payout' }, [{ payoutId }]);
  let payout = await load();
  for (let check = 0; payout.needsAttention && signals === 0; check++) {
    const untilMs = Date.now() + delayOf(input.timing.remindAfterMs, check);
    wf.setCurrentDetails(describeContradiction(input, payout));
    search.set(payout, untilMs);
    await wf.condition(() => signals > 0, untilMs - Date.now(), {
      summary: 'Waiting for a person to resolve the contradiction',
    });
    payout = await load();
  }
  wf.setCurrentDetails(`✓ **Resolved**: ${payeeOf(input)} · the payout is ${payout.status}`);
  search.set(payout, null);
  return payout;
};

/** The reminders, then the longest pause between them again and again. */
const delayOf = (remindAfterMs: readonly number[], check: number): number => {
  const pauses = remindAfterMs.map((ms, at) => ms - (remindAfterMs[at - 1] ?? 0));
  return pauses[check] ?? Math.max(...pauses, 1_000);
};
