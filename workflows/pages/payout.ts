import { isPaidByPerson, RAILS } from '../../src/contracts/rails.ts';
import type { PayoutSituation, PayoutStateName } from '../../src/contracts/situations/payout.ts';
import { CONSOLE_PAGES, consoleLink } from '../../src/contracts/workflows/console-links.ts';
import {
  type PayoutLifecycleInput,
  type PayoutSnapshot,
  type PayoutWorkflowInput,
  payoutWorkflowId,
  situationOf,
} from '../../src/contracts/workflows/payouts.ts';
import {
  escapeMarkdown,
  formatTime,
  listOf,
  runsLink,
  sectionsOf,
  type Wait,
  waitText,
} from '../../src/contracts/workflows/text.ts';
import { sentTimes, textOf } from '../../src/texts/catalogue.ts';
import { payoutButtons, payoutForFinance as texts } from '../../src/texts/payout.finance.en.ts';
import { beforePayingAgain, laterChangesOf } from './later-changes.ts';
import { forDevelopers, toDoText } from './parts.ts';
import { historyOf, holdOf, lookUpsOf, recordsOf, relatedOf } from './payout-parts.ts';

type Payout = PayoutWorkflowInput;

/** "20.00 USD to noraok (Acme Partners)". Markdown. */
export const payeeOf = ({ amount, to, program }: Payout) => `${amount} to ${escapeMarkdown(to)} (${escapeMarkdown(program)})`;

export const isFinal = ({ status }: Pick<PayoutSnapshot, 'status'>): boolean => status === 'completed' || status === 'failed';

const isManual = ({ rail }: Payout): boolean => isPaidByPerson(rail);

const MARKS: Readonly<Record<PayoutStateName, '' | '⚠ ' | '✓ ' | '✗ '>> = {
  to_approve: '',
  queued: '',
  sending: '',
  to_pay: '',
  to_put_into_file: '',
  at_bank: '',
  on_hold: '',
  to_decide: '⚠ ',
  contradiction: '⚠ ',
  paid: '✓ ',
  failed: '✗ ',
  cancelled: '✗ ',
  returned: '✗ ',
};

export const titleOf = (state: PayoutStateName, isOverdue = false): string =>
  `${isOverdue ? '⚠ ' : MARKS[state]}**${texts.states[state].label}**`;

/** Why the payout is where it is; null when the state says it all. */
export const reasonText = ({ state, reason }: PayoutSituation, snapshot: PayoutSnapshot): string | null => {
  const { sendCount, failureCode, railReason } = snapshot;
  // Codes of a newer version are shown as they are.
  const code = state === 'failed' ? (failureCode ?? 'unknown').replaceAll('_', ' ') : null;
  const text = reason === null ? code : textOf(texts.reasons[reason], sendCount);
  if (railReason === null || !isFinal(snapshot)) return text;
  return text === null ? railReason : `${text} (${railReason})`;
};

/** What a person reads first after the workflow of a failed payout ended; null for any other payout. */
export const afterFailureOf = (payout: PayoutLifecycleInput, snapshot: PayoutSnapshot): string | null => {
  if (snapshot.status !== 'failed') return null;
  const { next } = situationOf(payout, snapshot);
  return beforePayingAgain(payout, next === null ? null : texts.next[next]);
};

/** What the person needs besides the next step: which payout is in the way, or how the provider names the order. */
const moreOf = (payout: Payout, { next }: PayoutSituation, { page, attempts }: PayoutSnapshot): string => {
  if (next === 'resolve_other_payout') {
    const other = page?.contradiction;
    if (other) return ` It is ${holdOf(other, payout.links)}`;
    const filter = `WorkflowType = "payoutContradiction" AND AffiliateId = "${payout.affiliateId}" AND ExecutionStatus = "Running"`;
    return ` It is in the list with the filter \`${filter}\`.`;
  }
  if (next !== 'ask_provider' && next !== 'wait_for_provider') return '';
  const key = `payout-${payout.payoutId}-${Math.max(attempts, 1)}`;
  return ` Search for \`${key}\`, and continue only if its order is ${payout.amount} with the reference \`${payout.payoutId}\`.`;
};

/** What a person has to do next; null when nobody has to do anything, and once the payout ended. */
export const nextStepOf = (payout: PayoutLifecycleInput, snapshot: PayoutSnapshot): string | null => {
  if (isFinal(snapshot)) return null;
  const situation = situationOf(payout, snapshot);
  return situation.next === null ? null : texts.next[situation.next] + moreOf(payout, situation, snapshot);
};

/** What to do for people who asked Temporal to cancel the workflow; null once the payout ended. */
export const insteadOfCancelling = (payout: Payout, snapshot: PayoutSnapshot): string | null => {
  if (isFinal(snapshot)) return null;
  if (snapshot.status === 'pending') return `To cancel the payout, choose “${payoutButtons.cancel}” on its page in the console.`;
  return isManual(payout)
    ? `To end the payout without a payment, choose “${payoutButtons.fail}” on its page in the console.`
    : "The payout was sent to the provider and can't be cancelled.";
};

const attemptsOf = ({ attempts, sendCount, attemptOutcome }: PayoutSnapshot): string => {
  if (attempts === 0) return 'none yet';
  const outcome = sendCount === 0 ? '' : `, outcome ${attemptOutcome ?? 'unknown'}`;
  return `${attempts} (${sentTimes(sendCount)}${outcome})`;
};

const failureOf = ({ failureCode, railReason }: PayoutSnapshot): string | null => {
  const codes = [failureCode && `\`${failureCode}\``, railReason && `provider's reason \`${railReason}\``].filter(Boolean);
  return codes.length === 0 ? null : codes.join(', ');
};

/** Nothing is sent while a person decides. */
const isSentAgain = (snapshot: PayoutSnapshot): snapshot is PayoutSnapshot & { resendAt: string } =>
  snapshot.resendAt !== null && !isFinal(snapshot) && !snapshot.needsAttention;

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

const endedOf = (payout: PayoutLifecycleInput, snapshot: PayoutSnapshot): string | null => {
  if (!isFinal(snapshot)) return null;
  const ended = snapshot.page && !snapshot.correctedFrom ? `**Ended** ${formatTime(Date.parse(snapshot.page.since))}. ` : '';
  return ended + (afterFailureOf(payout, snapshot) ?? `Later changes: ${laterChangesOf(payout)}`);
};

/** The payout as a person reads it, without any event of the history. Markdown. */
export const describePayout = (payout: PayoutLifecycleInput, snapshot: PayoutSnapshot, wait: Wait | null): string => {
  const situation = situationOf(payout, snapshot);
  const reason = reasonText(situation, snapshot);
  const { page } = snapshot;
  const { payoutId, links } = payout;
  const title = titleOf(situation.state, situation.reason === 'reminders_exhausted');
  const isOpen = !isFinal(snapshot);
  const isCompared = isOpen && snapshot.needsAttention && !isManual(payout);
  return sectionsOf(
    consoleLink(links, CONSOLE_PAGES.payout(payoutId)),
    `${title}: ${payeeOf(payout)}${reason === null ? '' : ` · ${escapeMarkdown(reason)}`}`,
    isOpen ? texts.states[situation.state].text : null,
    endedOf(payout, snapshot) ?? toDoText(situation, nextStepOf(payout, snapshot)),
    isCompared ? recordsOf(payout, snapshot, 'review') : null,
    progressOf(payout, snapshot, wait),
    page ? historyOf(page) : null,
    page ? relatedOf(payout, page) : null,
    forDevelopers(links, `/payouts/${payoutId}`, isOpen ? situation : undefined),
  );
};

/** Describes a run that another one replaces. Markdown. */
export const describeSuperseded = (payout: PayoutWorkflowInput): string => {
  const { payoutId, links } = payout;
  return sectionsOf(
    consoleLink(links, CONSOLE_PAGES.payout(payoutId)),
    '**Superseded**: another run shows this payout; this one is a copy, or was reset, and counts nothing',
    '**Nobody has to do anything here.** State, next steps and what happened before are on the page of the payout.',
    listOf([['Payout', `${payeeOf(payout)}, ${runsLink(payoutWorkflowId(payoutId), links)}`]]),
    forDevelopers(links, `/payouts/${payoutId}/timeline`),
  );
};
