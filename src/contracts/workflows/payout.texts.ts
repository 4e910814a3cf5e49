import type { ReviewReason } from '../payouts.ts';
import { RAILS, railKind } from '../rails.ts';
import {
  type PayoutHeadline,
  type PayoutSnapshot,
  type PayoutSummary,
  type PayoutWorkflowInput,
  payoutWorkflowId,
} from './payouts.ts';
import {
  countOf,
  detailsOf,
  escapeMarkdown,
  fitSummary,
  formatTime,
  link,
  listLink,
  type Wait,
  type WorkflowLinks,
  waitText,
  workflowLink,
} from './text.ts';

type Payout = Omit<PayoutWorkflowInput, 'links'>;

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

const FAILURES: Reasons = {
  cancelled: 'cancelled before anything was sent',
  marked_failed: 'marked as failed by a person',
  rail_rejected: 'rejected by the provider',
  invalid_details: 'the payout details are invalid',
  returned: 'the payment was returned',
  no_rail: 'the rail is not available',
  affiliate_blocked: 'the affiliate was blocked',
  resolved_not_paid: 'a person found out that it was not paid',
  items_held: 'a commission was held by a flag or a dispute',
};

const REVIEWS: Readonly<Record<ReviewReason, string>> = {
  accepted_before: 'provider has no record of a transfer that it accepted',
  resends_exhausted: 'provider has no record',
  repeat_window_over: 'provider has no record, and it is too late to send again safely',
  reminders_exhausted: 'still unpaid after the last reminder',
  accepted_too_long: 'provider accepted the transfer and has not completed it in time',
  unknown_too_long: 'provider has not told the outcome in time',
  contradiction: 'provider reported it both paid and failed',
  key_reused: 'provider has another order under this key',
  record_mismatch: 'provider has a different amount, currency or reference',
  return_unconfirmed: 'the money was reported to have come back, and the provider does not confirm it',
  status_unknown: 'provider reports a status that is not supported',
};

/** Codes are an open set: an unknown one is shown as it is. */
const textOf = (reasons: Reasons, code: string): string => reasons[code] ?? code.replaceAll('_', ' ');

const sends = (count: number): string => (count === 0 ? '' : ` after ${countOf(count, 'send')}`);

const failureReason = ({ failureCode, railReason }: PayoutSnapshot): string => {
  const text = textOf(FAILURES, failureCode ?? 'unknown');
  return railReason === null ? text : `${text} (${railReason})`;
};

const reviewReason = ({ reviewReason: code, sendCount }: PayoutSnapshot): string => {
  if (code === null) return 'the outcome cannot be determined automatically';
  return code === 'resends_exhausted' ? textOf(REVIEWS, code) + sends(sendCount) : textOf(REVIEWS, code);
};

/** "20.00 USD to noraok (Acme Partners)". Markdown. */
export const payeeOf = ({ amount, to, program }: Payout): string =>
  `${amount} to ${escapeMarkdown(to)} (${escapeMarkdown(program)})`;

const isFinal = ({ status }: PayoutSnapshot): boolean => status === 'completed' || status === 'failed';

const isManual = ({ rail }: Payout): boolean => railKind(rail) === 'manual';

/** The status in a word, with a sign that stands out in a list. */
const titleOf = (snapshot: PayoutSnapshot): string => {
  if (snapshot.status === 'completed') return '✓ **Completed**';
  if (snapshot.status === 'failed') return '✗ **Failed**';
  if (snapshot.needsAttention) return '⚠ **Manual review**';
  if (snapshot.onHold) return '⏸ **On hold**';
  return snapshot.status === 'processing' ? '**Processing**' : '**Pending**';
};

/** Why the payout is where it is; null when there is nothing to explain. */
export const reasonOf = (snapshot: PayoutSnapshot): string | null => {
  if (snapshot.status === 'completed') return null;
  if (snapshot.status === 'failed') return failureReason(snapshot);
  if (snapshot.needsAttention) return reviewReason(snapshot);
  return snapshot.onHold ? 'another payout of this affiliate was reported both paid and failed' : null;
};

/** The API rejects `fail` then with RAIL_ACCEPTED. */
const isHeldByProvider = ({ attemptOutcome, reviewReason: code }: PayoutSnapshot): boolean =>
  attemptOutcome === 'accepted' && code !== 'accepted_too_long';

/** A closed page cannot follow what happens later, so that it tells where to read that instead of what to do. */
const laterChangesOf = ({ payoutId }: Payout): string =>
  `GET /payouts/${payoutId}, and the workflows with the filter \`WorkflowId STARTS_WITH "payout/${payoutId}/"\``;

/** What a person reads first after the workflow of a failed payout ended; null for any other payout. */
export const afterFailureOf = (payout: Payout, { status }: PayoutSnapshot): string | null =>
  status === 'failed' ? `Before anything is paid again, read ${laterChangesOf(payout)}` : null;

/** What a person has to do next, with the call to make; null when nobody has to do anything, and once the payout ended. */
export const nextStepOf = (payout: Payout, snapshot: PayoutSnapshot): string | null => {
  const path = `/payouts/${payout.payoutId}`;
  if (isFinal(snapshot)) return null;
  if (snapshot.onHold) {
    const filter = `WorkflowType = "payoutContradiction" AND AffiliateId = "${payout.affiliateId}" AND ExecutionStatus = "Running"`;
    return `Resolve the contradiction of the other payout: its workflow is in the list with the filter \`${filter}\`.`;
  }
  if (isManual(payout)) {
    const pay = `pay as GET ${path}/instructions says, then POST ${path}/complete. If it cannot be paid: POST ${path}`;
    return snapshot.status === 'pending' ? `POST ${path}/process, then ${pay}/cancel.` : `Now ${pay}/fail with a note.`;
  }
  if (!snapshot.needsAttention) return null;
  const key = `payout-${payout.payoutId}-${Math.max(snapshot.attempts, 1)}`;
  const find = `Search for \`${key}\` at the provider, and go on only if its order is ${payout.amount} with the reference \`${payout.payoutId}\`.`;
  if (isHeldByProvider(snapshot)) {
    return `${find} If it was paid: POST ${path}/complete with a note. Otherwise wait: the provider accepted it and may still pay. Only when it stays silent for too long can it be marked as failed.`;
  }
  return `${find} If it was paid: POST ${path}/complete with a note. If not, and it never will be: POST ${path}/fail with a note.`;
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

/** The payout as a person reads it, without any event of the history. Markdown. */
export const describePayout = (payout: Payout, snapshot: PayoutSnapshot, wait: Wait | null): string => {
  const reason = reasonOf(snapshot);
  const title = `${titleOf(snapshot)}: ${payeeOf(payout)}${reason === null ? '' : ` · ${reason}`}`;
  return detailsOf(title, [
    ['Rail', `${RAILS[payout.rail].label}, ${payout.method.replace('_', ' ')}`],
    ['Waiting for', wait && !isFinal(snapshot) ? waitText(wait) : null],
    ['Attempts', isManual(payout) ? null : attemptsOf(snapshot)],
    ['Failure', failureOf(snapshot)],
    ['Sent again', isSentAgain(snapshot) ? `not before ${formatTime(Date.parse(snapshot.resendAt))}` : null],
    ['**What to do**', nextStepOf(payout, snapshot)],
    ['Later changes', snapshot.status === 'completed' ? laterChangesOf(payout) : null],
    ['**What to read first**', afterFailureOf(payout, snapshot)],
  ]);
};

/** Of a run that another one replaces. Markdown. */
export const describeSuperseded = ({ payoutId, links }: PayoutWorkflowInput): string =>
  detailsOf('**Superseded**: another run shows this payout; this one is a copy, or was reset', [
    ['Payout', workflowLink(payoutWorkflowId(payoutId), links)],
  ]);

/** The money is payable again: a newer payout may include it. */
const newerPayoutsOf = ({ affiliateId }: Payout): string =>
  `cancel payouts with the same commissions that are still pending, or both are paid. They are in the list with the filter \`WorkflowType = "payoutLifecycle" AND AffiliateId = "${affiliateId}" AND State = "pending" AND ExecutionStatus = "Running"\`.`;

/** Markdown. */
export const describeContradiction = (input: PayoutWorkflowInput, { status }: PayoutSnapshot): string =>
  detailsOf(
    `⚠ **Contradiction**: ${payeeOf(input)} · the provider reported it both paid and failed, and it is recorded as ${status}`,
    [
      ['Payout', workflowLink(payoutWorkflowId(input.payoutId), input.links)],
      ['Effect', 'the affiliate gets no other payout until this is resolved'],
      ['**Before you resolve it as paid**', status === 'failed' ? newerPayoutsOf(input) : null],
      [
        '**What to do**',
        `Ask the provider whether the money arrived, then POST /payouts/${input.payoutId}/resolve with \`{"outcome": "paid", "note": "…"}\` or with the outcome \`"not_paid"\`.`,
      ],
    ],
  );

/** Markdown. */
export const describeResolved = (input: PayoutWorkflowInput, { status }: PayoutSnapshot): string =>
  `✓ **Resolved**: ${payeeOf(input)} · the payout is ${status}`;
