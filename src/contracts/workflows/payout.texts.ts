import { failureAdviceOf } from '../failure-advice.ts';
import { REVIEW_TEXTS } from '../payout-timeline.texts.ts';
import { isPaidByPerson, RAILS } from '../rails.ts';
import { beforePayingAgain, laterChangesOf } from './failure-advice.ts';
import { historyOf, holdOf, lookUpsOf, recordsOf, relatedOf } from './payout-page.texts.ts';
import {
  decideByOf,
  isHeld,
  type PayoutHeadline,
  type PayoutLifecycleInput,
  type PayoutSnapshot,
  type PayoutSummary,
  type PayoutViewState,
  type PayoutWorkflowInput,
  payoutWorkflowId,
  viewStateOf,
} from './payouts.ts';
import {
  countOf,
  escapeMarkdown,
  fitSummary,
  formatTime,
  link,
  listLink,
  listOf,
  runsLink,
  sectionsOf,
  type Wait,
  type WorkflowLinks,
  waitText,
} from './text.ts';

type Payout = PayoutWorkflowInput;

/** "Payout 20.00 USD to noraok (Acme Partners), sandbox". */
export const payoutSummaryLine = (kind: string, { amount, to, program, rail }: PayoutHeadline): string =>
  fitSummary(escapeMarkdown(program), `${kind} ${amount} to ${escapeMarkdown(to)} (`, `), ${RAILS[rail].label}`);

/** Who is paid what, and where to read on. Markdown. */
export const payoutLinks = (
  { amount, to, program, rail, method }: PayoutHeadline,
  { payoutId, affiliateId }: Pick<PayoutSummary, 'payoutId' | 'affiliateId'>,
  links: WorkflowLinks,
): string => {
  const more = [
    link('Payout', `${links.api}/payouts/${payoutId}`),
    link('Timeline', `${links.api}/payouts/${payoutId}/timeline`),
    ...listLink('All workflows of this payout', links, `WorkflowId STARTS_WITH "payout/${payoutId}"`),
    ...listLink('All payouts of this affiliate', links, `WorkflowId STARTS_WITH "payout/" AND AffiliateId = "${affiliateId}"`),
  ];
  return [
    `**${amount}** to **${escapeMarkdown(to)}** (${escapeMarkdown(program)})`,
    `Rail: ${RAILS[rail].label}, method: ${method.replace('_', ' ')}`,
    more.join(' · '),
  ].join('\n\n');
};

type Reasons = Readonly<Record<string, string>>;

export const FAILURE_TEXTS: Reasons = {
  cancelled: 'cancelled before anything was sent',
  marked_failed: 'marked as failed by a person',
  rail_rejected: 'rejected by the provider',
  invalid_details: 'the payout details are invalid',
  returned: 'the payment was returned',
  no_rail: 'the rail is not available',
  affiliate_blocked: 'the affiliate was blocked',
  resolved_not_paid: 'a person found out that it was not paid',
  approval_expired: 'nobody approved it in time',
  items_held: 'a commission was held by a flag or a dispute',
};

/** Codes are an open set: an unknown one is shown as it is. */
const textOf = (reasons: Reasons, code: string): string => reasons[code] ?? code.replaceAll('_', ' ');

const sends = (count: number): string => (count === 0 ? '' : ` after ${countOf(count, 'send')}`);

const failureReason = ({ failureCode, railReason }: PayoutSnapshot): string => {
  const text = textOf(FAILURE_TEXTS, failureCode ?? 'unknown');
  return railReason === null ? text : `${text} (${railReason})`;
};

const reviewReason = ({ reviewReason: code, sendCount }: PayoutSnapshot): string => {
  if (code === null) return 'the outcome cannot be determined automatically';
  return code === 'resends_exhausted' ? textOf(REVIEW_TEXTS, code) + sends(sendCount) : textOf(REVIEW_TEXTS, code);
};

/** "20.00 USD to noraok (Acme Partners)". Markdown. */
export const payeeOf = ({ amount, to, program }: Payout) => `${amount} to ${escapeMarkdown(to)} (${escapeMarkdown(program)})`;

const isFinal = ({ status }: PayoutSnapshot): boolean => status === 'completed' || status === 'failed';

const isManual = ({ rail }: Payout): boolean => isPaidByPerson(rail);

const TITLES: Readonly<Record<PayoutViewState, string>> = {
  awaiting_approval: '**Awaiting approval**',
  pending: '**Pending**',
  processing: '**Processing**',
  awaiting_finance: '**Awaiting finance**',
  on_hold: '**On hold**',
  review: '⚠ **Review**',
  contradiction: '⚠ **Contradiction**',
  paid: '✓ **Paid**',
  failed: '✗ **Failed**',
  cancelled: '✗ **Cancelled**',
  returned: '✗ **Returned**',
  superseded: '**Superseded**',
};

const HOLDS: Readonly<Record<PayoutSnapshot['onHold'] & string, string>> = {
  unresolved_contradiction: 'another payout of this affiliate was reported both paid and failed',
  run_paused: 'its run is paused',
};

/** Why the payout is where it is; null when there is nothing to explain. */
export const reasonOf = (snapshot: PayoutSnapshot): string | null => {
  if (snapshot.status === 'completed') return null;
  if (snapshot.status === 'failed') return failureReason(snapshot);
  if (snapshot.needsAttention && !isHeld(snapshot)) return reviewReason(snapshot);
  if (snapshot.awaitsApproval) return 'its amount needs the approval of a second actor';
  return snapshot.onHold ? HOLDS[snapshot.onHold] : null;
};

/** The API rejects `fail` then with RAIL_ACCEPTED. */
const isHeldByProvider = ({ attemptOutcome, reviewReason: code }: PayoutSnapshot): boolean =>
  attemptOutcome === 'accepted' && code !== 'accepted_too_long';

/** What a person reads first after the workflow of a failed payout ended; null for any other payout. */
export const afterFailureOf = (payout: Payout, snapshot: PayoutSnapshot): string | null => {
  if (snapshot.status !== 'failed') return null;
  return beforePayingAgain(payout, failureAdviceOf({ ...snapshot, rail: payout.rail }));
};

/** What a person has to do next, with the call to make; null when nobody has to do anything, and once the payout ended. */
export const nextStepOf = (payout: Payout, snapshot: PayoutSnapshot): string | null => {
  const path = `/payouts/${payout.payoutId}`;
  if (isFinal(snapshot)) return null;
  if (snapshot.awaitsApproval)
    return `Check the amount and the payee, then POST ${path}/approve as somebody other than its creator. To refuse: POST ${path}/cancel.`;
  if (snapshot.onHold === 'run_paused') {
    const run = `/payout-runs/${snapshot.page?.payoutRun ?? '{id}'}`;
    return `The run of the payout is paused. To go on: POST ${run}/resume. To end it: POST ${run}/cancel.`;
  }
  if (snapshot.onHold) {
    const other = snapshot.page?.contradiction;
    if (other) return `Resolve the contradiction of another payout to this affiliate: ${holdOf(other, payout.links)}`;
    const filter = `WorkflowType = "payoutContradiction" AND AffiliateId = "${payout.affiliateId}" AND ExecutionStatus = "Running"`;
    return `Resolve the contradiction of the other payout: its workflow is in the list with the filter \`${filter}\`.`;
  }
  if (isManual(payout)) {
    const pay = `pay as GET ${path}/instructions says, then POST ${path}/complete. If it cannot be paid: POST ${path}`;
    if (snapshot.status === 'pending') return `POST ${path}/process, then ${pay}/cancel.`;
    return `Somebody started to pay it: ask who reserved the attempt whether it was paid. Only if not: ${pay}/fail with a note.`;
  }
  if (!snapshot.needsAttention) return null;
  const key = `payout-${payout.payoutId}-${Math.max(snapshot.attempts, 1)}`;
  const find = `Search for \`${key}\` at the provider, and go on only if its order is ${payout.amount} with the reference \`${payout.payoutId}\`.`;
  if (isHeldByProvider(snapshot)) {
    return `${find} If it was paid: POST ${path}/complete with a note. Otherwise wait: the provider accepted it and may still pay. Only when it stays silent for too long can it be marked as failed.`;
  }
  return `${find} If it was paid: POST ${path}/complete with a note. If not, and it never will be: POST ${path}/fail with a note.`;
};

/** What somebody who requested the cancellation of the workflow has to call; null once the payout ended. */
export const insteadOfCancelling = (payout: Payout, snapshot: PayoutSnapshot): string | null => {
  if (isFinal(snapshot)) return null;
  if (snapshot.status === 'pending') return `To cancel the payout: POST /payouts/${payout.payoutId}/cancel.`;
  return isManual(payout)
    ? `To end the payout without a payment: POST /payouts/${payout.payoutId}/fail with a note.`
    : 'The payout was sent to the provider and cannot be cancelled.';
};

const attemptsOf = ({ attempts, sendCount, attemptOutcome }: PayoutSnapshot): string => {
  if (attempts === 0) return 'none yet';
  const times = sendCount === 1 ? 'once' : `${sendCount} times`;
  return sendCount === 0 ? `${attempts} (not sent yet)` : `${attempts} (sent ${times}, outcome ${attemptOutcome ?? 'unknown'})`;
};

const failureOf = ({ failureCode, railReason }: PayoutSnapshot): string | null => {
  const codes = [failureCode && `\`${failureCode}\``, railReason && `provider's reason \`${railReason}\``].filter(Boolean);
  return codes.length === 0 ? null : codes.join(', ');
};

/** Nothing is sent while a person decides. */
const isSentAgain = (snapshot: PayoutSnapshot): snapshot is PayoutSnapshot & { resendAt: string } =>
  snapshot.resendAt !== null && !isFinal(snapshot) && !snapshot.needsAttention;

export const untilText = (decideBy: Date | null): string => (decideBy === null ? '' : ` until ${formatTime(decideBy.getTime())}`);

/** Null once the payout ended. */
const toDoOf = (payout: PayoutLifecycleInput, snapshot: PayoutSnapshot): string | null => {
  if (isFinal(snapshot)) return null;
  const step = nextStepOf(payout, snapshot);
  return step === null ? '**Nobody has to do anything.**' : `**What to do${untilText(decideByOf(payout, snapshot))}**: ${step}`;
};

/** What the workflow does by itself. */
const progressOf = (payout: Payout, snapshot: PayoutSnapshot, wait: Wait | null): string =>
  listOf([
    ['Created', formatTime(Date.parse(payout.createdAt))],
    ['Rail', `${RAILS[payout.rail].label}, ${payout.method.replace('_', ' ')}`],
    ['Waiting for', wait && !isFinal(snapshot) ? waitText(wait) : null],
    ['Sent again', isSentAgain(snapshot) ? `not before ${formatTime(Date.parse(snapshot.resendAt))}` : null],
    ['Attempts', isManual(payout) ? null : attemptsOf(snapshot)],
    ['Look-ups', snapshot.page ? lookUpsOf(snapshot.page) : null],
    ['Failure', failureOf(snapshot)],
    ['Effect', snapshot.status === 'failed' ? 'its money became payable again' : null],
    ['Reference', snapshot.status === 'completed' && snapshot.reference ? escapeMarkdown(snapshot.reference) : null],
  ]);

const endedOf = (payout: Payout, snapshot: PayoutSnapshot): string | null => {
  if (!isFinal(snapshot)) return null;
  const ended = snapshot.page && !snapshot.correctedFrom ? `**Ended** ${formatTime(Date.parse(snapshot.page.since))}. ` : '';
  return ended + (afterFailureOf(payout, snapshot) ?? `Later changes: ${laterChangesOf(payout)}`);
};

/** The payout as a person reads it, without any event of the history. Markdown. */
export const describePayout = (payout: PayoutLifecycleInput, snapshot: PayoutSnapshot, wait: Wait | null): string => {
  const reason = reasonOf(snapshot);
  const { page } = snapshot;
  const isCompared = !isFinal(snapshot) && snapshot.needsAttention && !isManual(payout);
  return sectionsOf(
    `${TITLES[viewStateOf(payout, snapshot)]}: ${payeeOf(payout)}${reason === null ? '' : ` · ${reason}`}`,
    toDoOf(payout, snapshot) ?? endedOf(payout, snapshot),
    isCompared ? recordsOf(payout, snapshot, 'review') : null,
    progressOf(payout, snapshot, wait),
    page ? historyOf(page) : null,
    page ? relatedOf(payout, page) : null,
  );
};

/** Of a run that another one replaces. Markdown. */
export const describeSuperseded = (payout: PayoutWorkflowInput): string => {
  const { payoutId, links } = payout;
  return sectionsOf(
    '**Superseded**: another run shows this payout; this one is a copy, or was reset, and counts nothing',
    '**Nobody has to do anything here.** State, next steps and what happened before are on the page of the payout.',
    listOf([
      ['Payout', `${payeeOf(payout)}, ${runsLink(payoutWorkflowId(payoutId), links)}`],
      ['What happened before', `GET /payouts/${payoutId}/timeline`],
    ]),
  );
};
