import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { emptyState } from '../../components/blocks.ts';
import { type Step, steps } from '../../components/steps.ts';
import { table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import { awaitsApproval, isByHand, type PayoutData, type PayoutState } from './payout-state.ts';

type Entry = OperationSuccess<'getPayoutTimeline'>['data'][number];

/** The picture of the timeline: from the first decision to the outcome. */
export const stepsOf = (payout: PayoutData, state: PayoutState, { format }: Pick<PageCall, 'format'>): Html => {
  const { status, approvalRequiredAt, approvedAt, processingAt, completedAt, failedAt } = payout;
  const isFinal = status === 'completed' || status === 'failed';
  const at = (iso: string | null, open: string) => (iso === null ? open : format.time(iso));
  const begun: Step['state'] = processingAt ? 'done' : status === 'pending' && !awaitsApproval(payout) ? 'current' : 'open';
  const outcome: Step =
    status === 'failed'
      ? { label: state.label, note: at(failedAt, ''), state: 'failed' }
      : {
          label: 'Paid',
          note: at(completedAt, 'not yet'),
          state: completedAt ? 'done' : status === 'processing' ? 'current' : 'open',
        };
  const all: Step[] = [
    { label: 'Created', note: at(payout.createdAt, ''), state: 'done' },
    ...(approvalRequiredAt === null
      ? []
      : [{ label: 'Approved', note: at(approvedAt, isFinal ? 'never' : 'not yet'), state: approvalState(payout) } as Step]),
    ...(isFinal && processingAt === null ? [] : [{ label: 'Payment begun', note: at(processingAt, 'not yet'), state: begun }]),
    // Paid, and the money came back.
    ...(status === 'failed' && completedAt !== null
      ? [{ label: 'Paid', note: format.time(completedAt), state: 'done' } as Step]
      : []),
    outcome,
  ];
  return steps('Way of the payout', all);
};

const approvalState = (payout: PayoutData): Step['state'] => {
  if (payout.approvedAt !== null) return 'done';
  return awaitsApproval(payout) ? 'current' : 'failed';
};

interface Attempt {
  n: number;
  first: Entry;
  last: Entry;
  outcome: string;
  railReference: string | null;
}

/** Of entries without an outcome. */
const OUTCOMES: Readonly<Record<string, string>> = {
  rail_accepted: 'accepted',
  rail_paid: 'paid',
  rail_failed: 'failed',
  returned: 'returned',
};

/** Entries are in the order of time. */
const attemptsIn = (entries: readonly Entry[]): Attempt[] => {
  const found = new Map<number, Attempt>();
  for (const entry of entries) {
    const n = entry.attempt;
    if (n === null) continue;
    const known = found.get(n) ?? { n, first: entry, last: entry, outcome: 'not sent yet', railReference: null };
    const outcome = entry.outcome?.replaceAll('_', ' ') ?? OUTCOMES[entry.type] ?? known.outcome;
    found.set(n, { ...known, last: entry, outcome, railReference: entry.railReference ?? known.railReference });
  }
  return [...found.values()];
};

/** Attempts at the provider, from the timeline. Of payouts by hand, the timeline says all. */
export const attemptsView = (
  payout: PayoutData,
  entries: readonly Entry[],
  { format }: Pick<PageCall, 'format'>,
): Html | false => {
  const attempts = isByHand(payout) ? [] : attemptsIn(entries);
  if (attempts.length === 0) return false;
  return html`<h2>Attempts at the provider</h2>${table({
    caption: 'Attempts at the provider',
    rows: attempts,
    columns: [
      { head: 'Attempt', cell: ({ n }) => n },
      { head: 'Began', cell: ({ first }) => format.time(first.at) },
      { head: 'Last news', cell: ({ last }) => format.time(last.lastAt) },
      { head: 'Outcome', cell: ({ outcome }) => outcome },
      { head: "Provider's reference", cell: ({ railReference }) => (railReference ? html`<code>${railReference}</code>` : '–') },
    ],
    empty: emptyState({ icon: 'clock', title: 'No attempts' }),
  })}`;
};

export const timelineView = (entries: readonly Entry[], isCut: boolean, { format }: Pick<PageCall, 'format'>): Html =>
  html`<h2>Timeline</h2>${isCut && html`<p class="note">Older entries are left out.</p>`}${table({
    caption: 'Timeline',
    rows: entries,
    columns: [
      { head: 'What', cell: ({ description, times }) => (times > 1 ? `${description}, ${times} times` : description) },
      { head: 'When', cell: ({ at }) => format.time(at) },
      { head: 'Who', cell: ({ actor }) => actor },
      { head: 'Note', cell: ({ note }) => note ?? '–' },
    ],
    empty: emptyState({ icon: 'clock', title: 'Nothing has happened yet' }),
  })}`;
