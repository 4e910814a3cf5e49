import { formatMoney } from '../../src/contracts/currencies.ts';
import { describeTimelineEntry } from '../../src/contracts/payout-timeline.texts.ts';
import type { PageContradiction, PageLine, PayoutPage, ProviderRecord } from '../../src/contracts/workflows/payout-page.ts';
import { type PayoutSnapshot, type PayoutWorkflowInput, payoutWorkflowId } from '../../src/contracts/workflows/payouts.ts';
import {
  countOf,
  escapeMarkdown,
  formatTime,
  listLink,
  tableOf,
  type WorkflowLinks,
  workflowLink,
} from '../../src/contracts/workflows/text.ts';
import { actorText } from '../../src/texts/actors.finance.en.ts';

const timeOf = (iso: string): string => formatTime(Date.parse(iso));

/** Whose work is described already: the workflow's own, and that of the provider's notifications. */
const SILENT_ACTOR = /^system:(payout\w*|receiveRailNotification|anonymous)$/;

/** Who terminated a run is in its last event: the reconciler only found it. */
const actorOf = ({ type, actor }: PageLine): string => {
  if (SILENT_ACTOR.test(actor)) return '';
  const verb = type === 'workflow_terminated' ? 'noted by' : 'by';
  return `, ${verb} ${actorText(actor)}`;
};

const lineOf = (line: PageLine): string => {
  const { at, attempt = null, outcome = null, reason = null, reminder = null, times, lastAt } = line;
  const text = escapeMarkdown(describeTimelineEntry({ type: line.type, attempt, outcome, reason, reminder }));
  const repeated = times && lastAt ? `, ${times} times until ${timeOf(lastAt)}` : '';
  return `- ${timeOf(at)}: ${text}${repeated}${actorOf(line)}`;
};

/** The last lines of the timeline. Markdown. */
export const historyOf = ({ timeline }: PayoutPage): string | null =>
  timeline.length === 0 ? null : ['**What happened last**', '', ...timeline.map(lineOf)].join('\n');

/** "7 (first 2026-01-31 22:04 UTC, last 2026-02-01 04:00 UTC)". */
export const lookUpsOf = ({ lookUps }: PayoutPage): string | null => {
  if (lookUps === null) return null;
  const { count, firstAt, lastAt } = lookUps;
  return count === 1 ? `1 (${timeOf(firstAt)})` : `${count} (first ${timeOf(firstAt)}, last ${timeOf(lastAt)})`;
};

const NOT_TOLD = 'not told';

const statusOf = ({ status, reason }: ProviderRecord): string => {
  if (status === 'never_received') return 'has no such order';
  return escapeMarkdown(reason ? `${status} (${reason})` : status);
};

const moneyOf = ({ amountMinor, currency }: ProviderRecord): string | null =>
  amountMinor === undefined || currency === undefined ? null : escapeMarkdown(formatMoney(amountMinor, currency));

const OWN = 'this payout';

const referenceOf = (payoutId: string, { reference }: ProviderRecord): string | null => {
  if (reference === undefined) return null;
  return reference === payoutId ? OWN : escapeMarkdown(reference);
};

const differing = (text: string): string => `**≠ ${text}**`;

const compared = (name: string, ours: string | null, theirs: string | null): string[] => {
  const differs = ours !== null && theirs !== null && ours !== theirs;
  return [name, ours ?? 'none', differs ? differing(theirs) : (theirs ?? NOT_TOLD)];
};

/** What a person has to find in the records before they say that the money arrived. The states cannot agree. */
const CONDITIONS = {
  review: '**Mark it as paid only if amount and reference agree.**',
  contradiction: '**Resolve it as paid only if amount and reference agree.** The states differ: that is the contradiction.',
} as const;

type Payout = Pick<PayoutWorkflowInput, 'payoutId' | 'amount'>;

/** Our record and what the provider said last, for a person who decides. Markdown. */
export const recordsOf = (
  { payoutId, amount }: Payout,
  { status, attemptOutcome, reference, page }: PayoutSnapshot,
  question: keyof typeof CONDITIONS,
): string | null => {
  if (!page) return null;
  const { since, provider } = page;
  const ours = attemptOutcome === null ? status : `${status}, transfer ${attemptOutcome}`;
  if (provider === null) return `**Our record**: ${ours}, since ${timeOf(since)}. The provider has not told its own yet.`;
  const table = tableOf(
    ['', 'Our record', "The provider's"],
    [
      ['State', ours, question === 'contradiction' ? differing(statusOf(provider)) : statusOf(provider)],
      compared('Amount', escapeMarkdown(amount), moneyOf(provider)),
      compared('For', OWN, referenceOf(payoutId, provider)),
      compared('Id there', reference ? escapeMarkdown(reference) : null, provider.id ? escapeMarkdown(provider.id) : null),
      ['Time', timeOf(since), timeOf(provider.at)],
    ],
  );
  const isTold = provider.amountMinor !== undefined && provider.reference !== undefined;
  return `${table}\n\n${CONDITIONS[question]}${isTold ? '' : ' The provider has not told both: look the order up there.'}`;
};

const OUTCOMES = { paid: 'paid', not_paid: 'not paid' } as const;

/** Who resolved it and how; null while it is open. Markdown. */
export const resolutionOf = ({ resolution, resolvedBy }: PageContradiction): string | null => {
  if (!resolution) return null;
  return `as ${OUTCOMES[resolution]}${resolvedBy ? `, by ${actorText(resolvedBy)}` : ''}`;
};

const contradictionLink = ({ payoutId, n }: PageContradiction, links: WorkflowLinks): string =>
  workflowLink(`${payoutWorkflowId(payoutId)}/contradiction/${n}`, links);

/** Why a payout is on hold: another one of the same affiliate. Markdown. */
export const holdOf = (contradiction: PageContradiction, links: WorkflowLinks): string => {
  const { amountMinor, currency, recorded, reported } = contradiction;
  const amount = escapeMarkdown(formatMoney(amountMinor, currency));
  return `${amount}, recorded as ${recorded}, reported as ${escapeMarkdown(reported)}: ${contradictionLink(contradiction, links)}`;
};

/** Workflows that belong to this one; null when there are none. Markdown. */
export const relatedOf = (
  { payoutId, links }: Pick<PayoutWorkflowInput, 'payoutId' | 'links'>,
  { retryOf, payoutRun, corrections, contradiction }: PayoutPage,
): string | null => {
  const own = contradiction?.payoutId === payoutId ? contradiction : null;
  const related = [
    ...(payoutRun ? [`created by ${workflowLink(`payout-run/${payoutRun}`, links)}`] : []),
    ...(retryOf === null ? [] : [`retries ${workflowLink(payoutWorkflowId(retryOf), links)}`]),
    ...(own === null ? [] : [`contradiction ${contradictionLink(own, links)}`]),
    ...(corrections === 0
      ? []
      : listLink(countOf(corrections, 'correction'), links, `WorkflowId STARTS_WITH "payout/${payoutId}/correction/"`)),
  ];
  return related.length === 0 ? null : `**Related**: ${related.join(' · ')}`;
};
