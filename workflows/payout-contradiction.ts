import * as wf from '@temporalio/workflow';
import {
  payoutContradiction as descriptor,
  type PayoutContradictionInput,
  type PayoutContradictionResult,
  type PayoutContradictionState,
} from '../src/contracts/workflows/payout-contradiction.ts';
import type { PayoutActivities } from '../src/contracts/workflows/payout-lifecycle.ts';
import { type PayoutSnapshot, payoutAttributes } from '../src/contracts/workflows/payouts.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { describeCopy } from '../src/contracts/workflows/text.ts';
import { payoutButtons } from '../src/texts/payout.finance.en.ts';
import { describeContradiction, describeResolved } from './pages/payout-contradiction.ts';
import { activitiesOn, database } from './support/activities.ts';
import { claim, showSuperseded } from './support/claim.ts';
import { isCopy } from './support/copy.ts';
import { ignoreCancellation, type Page } from './support/ignore-cancellation.ts';
import { publish, publishUnlessBrief } from './support/publish.ts';
import { type Progress, track } from './support/track.ts';
import { versioningOf } from './support/versioning.ts';

const steps = () => activitiesOn<PayoutActivities>(QUEUES.release, database);

/**
 * The provider reported a payout both paid and failed. Stays open until a person records which one is true; nothing is
 * booked until then.
 */
export async function payoutContradiction(input: PayoutContradictionInput): Promise<PayoutContradictionResult> {
  const { payoutId, n, amount, to, program, rail, method } = input;
  const record = () =>
    steps().recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  const instead = () => `To end it, choose “${payoutButtons.resolve}” on the page of the payout in the console.`;
  return ignoreCancellation({ record, instead }, async (page) => {
    const headline = { amount, to, program, rail, method };
    if (isCopy(descriptor.id(payoutId, n))) {
      await claim(steps(), payoutId);
      showSuperseded(page, describeCopy('contradiction', descriptor.id(payoutId, n), input.links));
      return { ...headline, status: 'superseded', payoutId };
    }
    const progress = trackContradiction(input, page);
    await waitForResolution(input, progress);
    return { ...headline, status: progress.snapshot.status, payoutId };
  });
}
wf.setWorkflowOptions(versioningOf(descriptor), payoutContradiction);

type ContradictionProgress = Progress<PayoutSnapshot>;

const WHAT = 'a person to resolve the contradiction';

const trackContradiction = (input: PayoutContradictionInput, page: Page): ContradictionProgress =>
  track(descriptor, {
    wait: { what: WHAT, next: null },
    show(payout, wait, moment) {
      if (moment === 'wait') {
        page.show(describeContradiction(input, payout, wait));
        publishUnlessBrief({ ...payoutAttributes(input, payout, wait.next?.atMs ?? null), State: 'contradiction' });
      } else if (!payout.needsAttention) {
        page.show(describeResolved(input, payout));
        publish(payoutAttributes(input, payout, null));
      }
    },
    state: ({ status, needsAttention }, { what }): PayoutContradictionState => ({
      status,
      waitingFor: needsAttention ? what : 'nothing',
      needsAttention,
    }),
  });

/**
 * Only what is loaded ends it: anybody who may use the namespace can send the signal. It is loaded again at each reminder too: the
 * signal may have been sent to a run that was lost.
 */
const waitForResolution = async (input: PayoutContradictionInput, progress: ContradictionProgress): Promise<void> => {
  const { payoutId, n: contradiction, timing } = input;
  const { loadPayout } = steps();
  const load = () => progress.run(loadPayout.executeWithOptions({ summary: 'Load payout' }, [{ payoutId, contradiction }]));
  await load();
  for (let reminders = 0; progress.snapshot.needsAttention; ) {
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof payoutContradiction>(input);
    const next = { label: `look ${reminders + 1}`, atMs: Date.now() + delayOf(timing.remindAfterMs, reminders) };
    if (!(await progress.waitUntil(() => progress.signals > 0, { what: WHAT, next }))) reminders++;
    await load();
  }
};

/** The reminders, then the longest pause between them again and again. */
const delayOf = (remindAfterMs: readonly number[], reminders: number): number => {
  const pauses = remindAfterMs.map((ms, at) => ms - (remindAfterMs[at - 1] ?? 0));
  return pauses[reminders] ?? Math.max(...pauses, 1_000);
};
