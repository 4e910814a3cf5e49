import * as wf from '@temporalio/workflow';
import { isSentByCall, RAILS, type Rail } from '../src/contracts/rails.ts';
import { isFinal } from '../src/contracts/workflows/descriptor.ts';
import { payoutLinks } from '../src/contracts/workflows/payout.texts.ts';
import { payoutLifecycle as descriptor, type PayoutActivities } from '../src/contracts/workflows/payout-lifecycle.ts';
import {
  approvalDueMs,
  approvalTimingOf,
  endAttributes,
  endOf,
  PAYOUT_FAILED,
  type PayoutLifecycleInput,
  type PayoutLifecycleResult,
  type PayoutSnapshot,
  type PayoutState,
  payableSinceMs,
  payoutAttributes,
  payoutWorkflowId,
  situationOf,
} from '../src/contracts/workflows/payouts.ts';
import { QUEUES, railQueue } from '../src/contracts/workflows/queues.ts';
import { formatDuration, type Wait } from '../src/contracts/workflows/text.ts';
import { payoutForFinance } from '../src/texts/payout.finance.en.ts';
import { afterFailureOf, describePayout, describeSuperseded, insteadOfCancelling, reasonText } from './pages/payout.ts';
import { activitiesOn, database, partner } from './support/activities.ts';
import { claim, isShownHere, isSupersededAtEnd, showSuperseded } from './support/claim.ts';
import { isCopy } from './support/copy.ts';
import { ignoreCancellation, type Page } from './support/ignore-cancellation.ts';
import { nextLookUp } from './support/next-look-up.ts';
import { publish, publishUnlessBrief } from './support/publish.ts';
import { type Progress, track } from './support/track.ts';
import { versioningOf } from './support/versioning.ts';

const steps = () => activitiesOn<PayoutActivities>(QUEUES.payouts, database);
const provider = (rail: Rail) => activitiesOn<PayoutActivities>(railQueue(rail), partner);

/**
 * From the creation of a payout until it is completed; a failed payout ends it as Failed. Postgres holds the state; this
 * decides the next step, so a run that is started again continues where the last one was lost. Whoever changes the payout
 * signals the new state, so the end of a payout needs no further step.
 */
export async function payoutLifecycle(given: PayoutLifecycleInput): Promise<PayoutLifecycleResult> {
  const input = { ...given };
  const { payoutId } = input;
  const record = () =>
    steps().recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  let progress: PayoutProgress | undefined;
  const instead = () => insteadOfCancelling(input, progress?.snapshot ?? descriptor.initial);
  return ignoreCancellation({ record, instead, details: () => payoutLinks(input, input, input.links) }, async (page) => {
    if (isCopy(payoutWorkflowId(payoutId))) {
      await claim(steps(), payoutId);
      return supersede(input, page);
    }
    progress = trackPayout(input, page);
    await awaitApproval(input, progress);
    await (isSentByCall(input.rail) ? payByProvider : payManually)(input, progress);
    if (await isSupersededAtEnd(page, progress.snapshot, () => claim(steps(), payoutId))) return supersede(input, page);
    const ended = endOf(progress.snapshot);
    page.show(describePayout(input, ended, null));
    publish(endAttributes(input, ended));
    return endPayout(input, ended);
  });
}
wf.setWorkflowOptions(versioningOf(descriptor), payoutLifecycle);

/** Sends nothing and counts nothing. */
const supersede = (input: PayoutLifecycleInput, page: Page): PayoutLifecycleResult => {
  const { amount, to, program, rail, method, payoutId, amountMinor, currency } = input;
  showSuperseded(page, describeSuperseded(input));
  const ended = { reason: 'another run shows the payout', next: null, attempts: 0, failureCode: null };
  return { amount, to, program, rail, method, status: 'superseded', ...ended, payoutId, amountMinor, currency };
};

type PayoutProgress = Progress<PayoutSnapshot>;

const FIRST_ATTEMPT = 'its first attempt, which begins at once while workers run';

const trackPayout = (input: PayoutLifecycleInput, page: Page): PayoutProgress =>
  track(descriptor, {
    wait: { what: FIRST_ATTEMPT, next: null },
    show(payout, wait, moment) {
      page.show(describePayout(input, payout, wait));
      if (isFinal(descriptor, payout)) {
        if (isShownHere(payout) && !page.isNoting) publish(endAttributes(input, endOf(payout)));
      } else if (moment === 'wait') publishUnlessBrief(payoutAttributes(input, payout, wait.next?.atMs ?? null));
    },
    state: (payout, wait): PayoutState => ({
      status: payout.status,
      attempts: payout.attempts,
      needsAttention: payout.needsAttention,
      waitingFor: isFinal(descriptor, payout) ? 'nothing' : wait.what,
    }),
  });

/**
 * Resolves to true once something changed: a newer snapshot was signalled, or anything while the payout is pending, since what
 * holds it up may be outside of it. Resolves to false when the next step is due.
 */
const waitForChange = (progress: PayoutProgress, wait: Wait): Promise<boolean> => {
  const { version, onHold } = progress.snapshot;
  const isChanged = () => {
    const { snapshot, signals } = progress;
    // The run of a payout that a person pays is paused without a new version of the payout.
    return snapshot.version > version || snapshot.onHold !== onHold || (snapshot.status === 'pending' && signals > 0);
  };
  return progress.waitUntil(isChanged, wait);
};

/**
 * Nothing is sent before a second actor approved it: the transaction that writes the first attempt sees to that. Here it is waited for,
 * with reminders, until it expires.
 */
const awaitApproval = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<void> => {
  if (input.approvalRequiredAt === undefined || !wf.patched('payout-approval')) return;
  const { payoutId, timing } = input;
  const { remindAfterMs, expireAfterMs } = approvalTimingOf(timing);
  const { loadPayout, remindApproval } = steps();
  const load = () => progress.run(loadPayout.executeWithOptions({ summary: 'Load payout' }, [{ payoutId }]));
  await load();
  for (let reminder = 0; progress.snapshot.awaitsApproval && !progress.isFinal; ) {
    await continueAsNewIfSuggested(input);
    const last = reminder >= remindAfterMs.length;
    const label = last ? 'the approval expires' : `reminder ${reminder + 1}`;
    const next = { label, atMs: approvalDueMs(input, remindAfterMs[reminder] ?? expireAfterMs) };
    const otherwise = 'it fails if nobody approves it in time';
    if (await waitForChange(progress, { what: 'a second actor to approve', next, otherwise })) {
      if (progress.snapshot.awaitsApproval) await load();
    } else {
      reminder++;
      const summary = last ? 'Fail the payout: nobody approved it' : `Record reminder ${reminder}`;
      await progress.run(remindApproval.executeWithOptions({ summary }, [{ payoutId, reminder, last }]));
    }
  }
  if (!progress.isFinal) publish(payoutAttributes(input, progress.snapshot, null));
};

/** Sends the payout, then waits for the provider: for a notification, with a status look-up whenever none arrives in time. */
const payByProvider = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<void> => {
  const { payoutId } = input;
  const { label } = RAILS[input.rail];
  const { sendPayout, lookUpPayout } = provider(input.rail);
  const send = () => progress.run(sendPayout.executeWithOptions({ summary: `Send to ${label}` }, [{ payoutId }]));
  const lookUp = () => progress.run(lookUpPayout.executeWithOptions({ summary: `Check status with ${label}` }, [{ payoutId }]));
  if (progress.snapshot.status === 'pending') await send();
  for (let lookUps = 0; !progress.isFinal; ) {
    await continueAsNewIfSuggested(input);
    const next = { label: `look-up ${lookUps + 1}`, atMs: lookUpAt(input, progress.snapshot, lookUps) };
    const what = waitingFor(progress.snapshot, label);
    const isChanged = await waitForChange(progress, { what, next, ...afterSilence(input, progress.snapshot) });
    if (!isChanged) lookUps++;
    if (progress.snapshot.status === 'pending') await send();
    else if (!isChanged || progress.snapshot.lookUpRequested) await lookUp();
  }
};

const HOLDS: Readonly<Record<PayoutSnapshot['onHold'] & string, string>> = {
  unresolved_contradiction: 'a contradiction of another payout to be resolved',
  run_paused: 'its run to be resumed',
  payments_held: 'the books to be compared with the providers',
  payee_held: 'a decision about a payment to this payee that the books do not have',
  account_held: 'the payout account to be able to pay again',
  account_missing: 'a payout account to be connected',
};

const waitingFor = (payout: PayoutSnapshot, label: string): string => {
  if (payout.onHold) return HOLDS[payout.onHold];
  if (payout.needsAttention) return 'a person to decide';
  return payout.status === 'pending' ? FIRST_ATTEMPT : `${label} to confirm`;
};

/** What follows when the provider says nothing for long. */
const afterSilence = ({ timing }: PayoutLifecycleInput, payout: PayoutSnapshot): Pick<Wait, 'otherwise'> => {
  if (payout.needsAttention || payout.status !== 'processing') return {};
  const { maxUnknownMs } = timing;
  const isUnknown = payout.attemptOutcome === 'unknown' && maxUnknownMs !== undefined;
  return {
    otherwise: isUnknown ? `a person decides after ${formatDuration(maxUnknownMs)}` : 'a person decides if it takes too long',
  };
};

/** Backs off, and is never later than the next permitted send. */
const lookUpAt = ({ timing }: PayoutLifecycleInput, { resendAt, lookUpAfterMs }: PayoutSnapshot, lookUps: number): number => {
  const untilMs = nextLookUp(timing, lookUps, lookUpAfterMs);
  const resendMs = resendAt === null ? 0 : Date.parse(resendAt);
  return resendMs > Date.now() ? Math.min(untilMs, resendMs) : untilMs;
};

/** For a person, with reminders, of which the last one is a review. */
const waitForFinance = (input: PayoutLifecycleInput, { snapshot }: PayoutProgress, reminder: number): Wait => {
  const { remindAfterMs } = input.timing;
  const what = snapshot.onHold ? HOLDS[snapshot.onHold] : 'finance to pay and mark as paid';
  const dueMs = remindAfterMs[reminder];
  if (dueMs === undefined) return { what, next: null, otherwise: 'nothing happens by itself' };
  const label = reminder + 1 === remindAfterMs.length ? 'a review' : `reminder ${reminder + 1}`;
  return { what, next: { label, atMs: payableSinceMs(input, snapshot) + dueMs } };
};

/** Waits for finance to record the outcome of the payment, with reminders until then, but none while it may not be paid. */
const payManually = async (input: PayoutLifecycleInput, progress: PayoutProgress): Promise<void> => {
  const { payoutId } = input;
  const { remindAfterMs } = input.timing;
  const { loadPayout, remindPayout } = steps();
  const load = () => progress.run(loadPayout.executeWithOptions({ summary: 'Load payout' }, [{ payoutId }]));
  if (progress.snapshot.status === 'pending') await load();
  for (let reminder = 0; !progress.isFinal; ) {
    await continueAsNewIfSuggested(input);
    const { onHold } = progress.snapshot;
    const isHeld = onHold !== null && wf.patched('no-reminders-on-hold');
    const held = isHeld && { what: HOLDS[onHold], next: null, otherwise: 'nobody is reminded until then' };
    const sinceMs = Date.now();
    const isChanged = await waitForChange(progress, held || waitForFinance(input, progress, reminder));
    if (held) input.heldMs = (input.heldMs ?? 0) + Date.now() - sinceMs;
    if (isChanged) {
      if (progress.snapshot.status === 'pending') await load();
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

const resultOf = (input: PayoutLifecycleInput, payout: PayoutSnapshot): PayoutLifecycleResult => {
  const { amount, to, program, rail, method, payoutId, amountMinor, currency } = input;
  const { status, attempts, failureCode } = payout;
  const situation = situationOf(input, payout);
  const reason = reasonText(situation, payout) ?? (status === 'failed' ? payoutForFinance.states[situation.state].text : null);
  // Read as text, without links.
  const next = afterFailureOf({ ...input, links: { ...input.links, workflows: null } }, payout);
  return { amount, to, program, rail, method, status, reason, next, payoutId, amountMinor, currency, attempts, failureCode };
};

/** The result of a completed payout. A failed one ends its workflow as Failed: the list shows it without a filter. */
const endPayout = (input: PayoutLifecycleInput, payout: PayoutSnapshot): PayoutLifecycleResult => {
  const result = resultOf(input, payout);
  if (payout.status === 'completed') return result;
  const failure = wf.ApplicationFailure.create({
    type: PAYOUT_FAILED,
    message: `${input.amount} to ${input.to} (${input.program}) failed: ${result.reason}`,
    nonRetryable: true,
    category: 'BENIGN',
    details: [result],
  });
  // An expected result has no stack trace worth showing; the worker's logger recognizes it by this line.
  failure.stack = `${PAYOUT_FAILED}: ${failure.message}`;
  throw failure;
};
