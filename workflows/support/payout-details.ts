import { escapeMarkdown } from '../../src/contracts/markdown.ts';
import { RAILS, railKind } from '../../src/contracts/rails.ts';
import type { PayoutSnapshot, PayoutWorkflowInput } from '../../src/contracts/workflows.ts';
import { failureReason, reviewReason } from './payout-reasons.ts';

/** What the workflow waits for, and what it does by itself if that does not come. Null: only a signal can continue it. */
export interface PayoutWait {
  what: string;
  next: { label: string; atMs: number } | null;
}

type Payout = Omit<PayoutWorkflowInput, 'links'>;

/** "2026-01-31 22:04 UTC". */
export const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** "20.00 USD to noraok (Acme Partners)". Markdown. */
export const payeeOf = ({ amount, to, program }: Payout): string =>
  `${amount} to ${escapeMarkdown(to)} (${escapeMarkdown(program)})`;

export const isFinal = ({ status }: PayoutSnapshot): boolean => status === 'completed' || status === 'failed';

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
const isHeldByProvider = ({ attemptOutcome, reviewReason }: PayoutSnapshot): boolean =>
  attemptOutcome === 'accepted' && reviewReason !== 'accepted_too_long';

/** What a person has to do next, with the call to make; null when nobody has to do anything. */
export const nextStepOf = (payout: Payout, snapshot: PayoutSnapshot): string | null => {
  const path = `/payouts/${payout.payoutId}`;
  if (snapshot.status === 'completed' || snapshot.failureCode === 'cancelled') return null;
  if (snapshot.failureCode === 'items_held')
    return `Wait until the disputes are closed and the flags are resolved: GET /payouts/pending shows as heldAmount what they hold. Then POST ${path}/retry creates a new payout; before, it pays only what is not held.`;
  if (snapshot.failureCode === 'affiliate_blocked')
    return `Nothing can be paid while the affiliate is blocked. After POST /affiliates/${payout.affiliateId}/unblock, POST ${path}/retry creates a new payout.`;
  if (snapshot.status === 'failed') return `The money is payable again. POST ${path}/retry creates a new payout.`;
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
  const find = `Search for \`${key}\` at the provider.`;
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

const waitOf = ({ what, next }: PayoutWait): string => (next === null ? what : `${what}, ${next.label} ${formatTime(next.atMs)}`);

/** Nothing is sent while a person decides. */
const isSentAgain = (snapshot: PayoutSnapshot): snapshot is PayoutSnapshot & { resendAt: string } =>
  snapshot.resendAt !== null && !isFinal(snapshot) && !snapshot.needsAttention;

/** The payout as a person reads it, without any event of the history. Markdown. */
export const describePayout = (payout: Payout, snapshot: PayoutSnapshot, wait: PayoutWait | null): string => {
  const reason = reasonOf(snapshot);
  const lines: [string, string | null][] = [
    ['Rail', `${RAILS[payout.rail].label}, ${payout.method.replace('_', ' ')}`],
    ['Waiting for', wait && !isFinal(snapshot) ? waitOf(wait) : null],
    ['Attempts', isManual(payout) ? null : attemptsOf(snapshot)],
    ['Failure', failureOf(snapshot)],
    ['Sent again', isSentAgain(snapshot) ? `not before ${formatTime(Date.parse(snapshot.resendAt))}` : null],
    ['**What to do**', nextStepOf(payout, snapshot)],
  ];
  return [
    `${titleOf(snapshot)}: ${payeeOf(payout)}${reason === null ? '' : ` · ${reason}`}`,
    lines.flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`])).join('\n'),
  ].join('\n\n');
};
