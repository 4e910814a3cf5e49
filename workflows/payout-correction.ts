import * as wf from '@temporalio/workflow';
import { RAILS, type Rail } from '../src/contracts/rails.ts';
import { correctionReason, describeCorrection } from '../src/contracts/workflows/payout-correction.texts.ts';
import {
  type CorrectionActivities,
  type CorrectionSnapshot,
  correctionAttributes,
  payoutCorrection as descriptor,
  type PayoutCorrectionInput,
  type PayoutCorrectionResult,
} from '../src/contracts/workflows/payout-correction.ts';
import type { PayoutActivities } from '../src/contracts/workflows/payouts.ts';
import { QUEUES, railQueue } from '../src/contracts/workflows/queues.ts';
import { activitiesOn, database, partner } from './support/activities.ts';
import { ignoreCancellation } from './support/ignore-cancellation.ts';
import { nextLookUp } from './support/next-look-up.ts';
import { publish } from './support/publish.ts';
import { onSignal } from './support/track.ts';

const steps = () => activitiesOn<PayoutActivities & CorrectionActivities>(QUEUES.payouts, database);
const provider = (rail: Rail) => activitiesOn<CorrectionActivities>(railQueue(rail), partner);

/**
 * A change of a payout after its workflow ended: money that came back, or a contradiction that a person resolved. What a person
 * alone says about an online rail is booked once the provider confirms it, or with evidence.
 */
export async function payoutCorrection(input: PayoutCorrectionInput): Promise<PayoutCorrectionResult> {
  const { payoutId, amount, to, program, rail, method } = input;
  const record = () =>
    steps().recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  const { status, from: was, ...ended } = await ignoreCancellation(record, () => waitForOutcome(input));
  const by = ended.by ?? RAILS[rail].label;
  const why = correctionReason(input, ended);
  return { amount, to, program, rail, method, status, was, is: ended.to ?? was, by, why, payoutId };
}

const waitForOutcome = async (input: PayoutCorrectionInput): Promise<CorrectionSnapshot> => {
  const { payoutId, n, rail } = input;
  const { label } = RAILS[rail];
  let signals = 0;
  onSignal(descriptor.signal, () => void signals++);
  const show = (correction: CorrectionSnapshot, nextMs: number | null) => {
    wf.setCurrentDetails(describeCorrection(input, correction, nextMs));
    publish(correctionAttributes(correction));
    return correction;
  };
  const load = () => steps().bookCorrection.executeWithOptions({ summary: 'Book the correction' }, [{ payoutId, n }]);
  const ask = () =>
    provider(rail).checkReturn.executeWithOptions({ summary: `Ask ${label} about the return` }, [{ payoutId, n }]);
  let correction = await load();
  for (let checks = 0; correction.status === 'open'; ) {
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof payoutCorrection>(input);
    const seen = signals;
    correction = await ask();
    if (correction.status !== 'open') break;
    const untilMs = nextLookUp(input.timing, checks++);
    show(correction, untilMs);
    const summary = `look-up ${checks + 1} of the return; a person may give evidence`;
    if (await wf.condition(() => signals > seen, untilMs - Date.now(), { summary })) correction = await load();
  }
  return show(correction, null);
};
