import * as wf from '@temporalio/workflow';
import { RAILS, type Rail } from '../src/contracts/rails.ts';
import {
  type CorrectionActivities,
  type CorrectionSnapshot,
  correctionAttributes,
  payoutCorrection as descriptor,
  type PayoutCorrectionInput,
  type PayoutCorrectionResult,
} from '../src/contracts/workflows/payout-correction.ts';
import type { PayoutActivities } from '../src/contracts/workflows/payout-lifecycle.ts';
import { QUEUES, railQueue } from '../src/contracts/workflows/queues.ts';
import { actorText } from '../src/texts/actors.finance.en.ts';
import { payoutButtons } from '../src/texts/payout.finance.en.ts';
import { describeSuperseded } from './pages/payout.ts';
import { correctionReason, describeCorrection } from './pages/payout-correction.ts';
import { activitiesOn, database, partner } from './support/activities.ts';
import { claim, isSupersededAtEnd, showSuperseded } from './support/claim.ts';
import { isCopy } from './support/copy.ts';
import { ignoreCancellation, type Page } from './support/ignore-cancellation.ts';
import { nextLookUp } from './support/next-look-up.ts';
import { publish } from './support/publish.ts';
import { onSignal } from './support/track.ts';
import { versioningOf } from './support/versioning.ts';

const steps = () => activitiesOn<PayoutActivities & CorrectionActivities>(QUEUES.payouts, database);
const provider = (rail: Rail) => activitiesOn<CorrectionActivities>(railQueue(rail), partner);

/**
 * A change of a payout after its workflow ended: money that came back, or a contradiction that a person resolved. What a person
 * alone says about an online rail is booked once the provider confirms it, or with evidence.
 */
export async function payoutCorrection(input: PayoutCorrectionInput): Promise<PayoutCorrectionResult> {
  const { payoutId, n, amount, to, program, rail, method } = input;
  const record = () =>
    steps().recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  const { return: comeBack, resolve } = payoutButtons;
  const instead = () => `Only the provider ends it, or a person in the console: “${comeBack}” or “${resolve}”.`;
  return ignoreCancellation({ record, instead }, async (page) => {
    const headline = { amount, to, program, rail, method };
    const isOwnId = !isCopy(descriptor.id(payoutId, n));
    const ended = isOwnId ? await waitForOutcome(input, page) : null;
    const ask = () => claim(steps(), payoutId, n);
    if (!ended || (await isSupersededAtEnd(page, ended, ask))) {
      if (!ended) await ask();
      showSuperseded(page, describeSuperseded(input));
      return { ...headline, status: 'superseded', was: null, is: null, by: null, why: null, payoutId };
    }
    publish(correctionAttributes(input, ended, null));
    const by = ended.by === null ? RAILS[rail].label : actorText(ended.by);
    const why = correctionReason(input, ended);
    return { ...headline, status: ended.status, was: ended.from, is: ended.to ?? ended.from, by, why, payoutId };
  });
}
wf.setWorkflowOptions(versioningOf(descriptor), payoutCorrection);

const waitForOutcome = async (input: PayoutCorrectionInput, page: Page): Promise<CorrectionSnapshot> => {
  const { payoutId, n, rail } = input;
  const { label } = RAILS[rail];
  let signals = 0;
  onSignal(descriptor.signal, () => void signals++);
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
    page.show(describeCorrection(input, correction, untilMs));
    publish(correctionAttributes(input, correction, untilMs));
    const summary = `Look-up ${checks + 1} of the return; a person may give evidence`;
    if (await wf.condition(() => signals > seen, untilMs - Date.now(), { summary })) correction = await load();
  }
  page.show(describeCorrection(input, correction, null));
  return correction;
};
