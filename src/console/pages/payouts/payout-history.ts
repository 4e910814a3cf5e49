import type { RailOutcome } from '../../../contracts/payouts.ts';
import { isPaidByPerson } from '../../../contracts/rails.ts';
import { upperFirst } from '../../../contracts/workflows/text.ts';
import { sentTimes } from '../../../texts/catalogue.ts';
import { providerReason } from '../../../texts/provider-reasons.merchant.en.ts';
import type { ActorNames } from '../../actor-names.ts';
import { emptyState } from '../../components/blocks.ts';
import { type Step, steps } from '../../components/steps.ts';
import { table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import type { Said } from '../../said.ts';
import type { Entry, PayoutData } from './payout-offers.ts';

/** The timeline as a picture, from the first decision to the outcome. */
export const stepsOf = (payout: PayoutData, { label }: Said, { format }: Pick<PageCall, 'format'>): Html => {
  const { status, approvalRequiredAt, approvedAt, processingAt, completedAt, failedAt } = payout;
  const isFinal = status === 'completed' || status === 'failed';
  const at = (iso: string | null, open: string) => (iso === null ? open : format.time(iso));
  const begun: Step['state'] = processingAt
    ? 'done'
    : status === 'pending' && payout.situation.state !== 'to_approve'
      ? 'current'
      : 'open';
  const outcome: Step =
    status === 'failed'
      ? { label, note: at(failedAt, ''), state: 'failed' }
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
    ...(isFinal && processingAt === null ? [] : [{ label: 'Payment started', note: at(processingAt, 'not yet'), state: begun }]),
    // Paid, and the money came back.
    ...(status === 'failed' && completedAt !== null
      ? [{ label: 'Paid', note: format.time(completedAt), state: 'done' } as Step]
      : []),
    outcome,
  ];
  return steps('Progress of the payout', all);
};

const approvalState = (payout: PayoutData): Step['state'] => {
  if (payout.approvedAt !== null) return 'done';
  return payout.situation.state === 'to_approve' ? 'current' : 'failed';
};

interface Attempt {
  n: number;
  first: Entry;
  last: Entry;
  /** How often the order was sent, as far as the entries say. */
  sends: number;
  outcome: RailOutcome | null;
  railReference: string | null;
}

/** What an entry without an outcome says of it. */
const OUTCOMES: Readonly<Record<string, RailOutcome>> = {
  rail_accepted: 'accepted',
  rail_paid: 'paid',
  rail_failed: 'failed',
  returned: 'returned',
};

/** Entries are in chronological order. */
const attemptsIn = (entries: readonly Entry[]): Attempt[] => {
  const found = new Map<number, Attempt>();
  for (const entry of entries) {
    const n = entry.attempt;
    if (n === null) continue;
    const known = found.get(n) ?? { n, first: entry, last: entry, sends: 0, outcome: null, railReference: null };
    const outcome = entry.outcome ?? OUTCOMES[entry.type] ?? known.outcome;
    const sends = known.sends + (entry.type === 'attempt_sent' ? entry.times : 0);
    found.set(n, { ...known, last: entry, sends, outcome, railReference: entry.railReference ?? known.railReference });
  }
  return [...found.values()];
};

const SETTLED: Readonly<Partial<Record<RailOutcome, string>>> = {
  accepted: 'Accepted',
  paid: 'Paid',
  failed: 'Failed',
  returned: 'Returned',
};

/** What the provider has no record of may still have reached it. */
const outcomeText = ({ outcome, sends }: Attempt): string =>
  outcome === null ? 'Not sent yet' : (SETTLED[outcome] ?? upperFirst(`${sentTimes(sends)}, outcome unknown`));

/** Attempts at the provider, from the timeline. Manual payouts have none. */
export const attemptsView = (
  payout: PayoutData,
  entries: readonly Entry[],
  { format }: Pick<PageCall, 'format'>,
): Html | false => {
  const attempts = isPaidByPerson(payout.rail) ? [] : attemptsIn(entries);
  if (attempts.length === 0) return false;
  return table({
    caption: 'Attempts at the provider',
    rows: attempts,
    columns: [
      { head: 'Attempt', cell: ({ n }) => n },
      { head: 'Started', cell: ({ first }) => format.time(first.at) },
      { head: 'Last update', cell: ({ last }) => format.time(last.lastAt) },
      { head: 'Outcome', cell: outcomeText },
      { head: "Provider's reference", cell: ({ railReference }) => (railReference ? html`<code>${railReference}</code>` : '–') },
    ],
    empty: emptyState({ icon: 'clock', title: 'No attempts' }),
  });
};

/** Entries whose reason is a word of the provider. */
const PROVIDER_ENTRIES: readonly Entry['type'][] = [
  'attempt_sent',
  'status_checked',
  'rail_failed',
  'returned',
  'contradiction_detected',
];

/** What somebody wrote, or what the provider said in words. */
const noteOf = ({ rail }: PayoutData, { type, note, reason }: Entry): string => {
  if (note !== null) return note;
  return (reason !== null && PROVIDER_ENTRIES.includes(type) && providerReason(rail, reason)) || '–';
};

export const timelineView = (
  payout: PayoutData,
  entries: readonly Entry[],
  { format, nameOfActor, isCut }: Pick<PageCall, 'format'> & { nameOfActor: ActorNames; isCut: boolean },
): Html =>
  html`${isCut && html`<p class="note">Only the newest entries are shown.</p>`}${table({
    caption: 'Timeline',
    rows: entries,
    columns: [
      { head: 'What', cell: ({ description, times }) => (times > 1 ? `${description}, ${times} times` : description) },
      { head: 'When', cell: ({ at }) => format.time(at) },
      { head: 'Who', cell: ({ actor }) => nameOfActor(actor) },
      { head: 'Note', cell: (entry) => noteOf(payout, entry) },
    ],
    empty: emptyState({ icon: 'clock', title: 'Nothing has happened yet' }),
  })}`;
