import { PAYOUT_HOLDS, type PayoutHold, payoutSituation } from '../../../contracts/situations/payout.ts';
import { isRefusal, type Step, stateAfter } from './change.ts';
import { decide } from './decide.ts';
import type { Effect } from './effects.ts';
import { inputsFor, newPayout } from './explore.ts';
import type { Input } from './inputs.ts';
import { moneyIn, type PayoutState } from './state.ts';

/* `docs/payout-life.md`: what the machine decides, read from the machine itself. */

interface Example {
  title: string;
  about: string;
  from: PayoutState;
  inputs?: readonly Input[];
}

const START: Input = { type: 'start', isReported: false };
const said = (status: 'accepted' | 'paid' | 'failed' | 'returned'): Input => ({ type: 'answer', status, deniesEvidence: false });
const COMPLETE: Input = { type: 'complete', hasNote: true };
const FAIL: Input = { type: 'fail', hasNote: true };
const silence: Input = { type: 'review', reason: 'unknown_too_long' };
const byProvider = newPayout('provider');
const byPerson = newPayout('person');
const byBank = newPayout('bank');
const IN_FILE: Input = { type: 'put_into_file', isReported: false };

const decided = (from: PayoutState, ...inputs: readonly Input[]): PayoutState =>
  inputs.reduce((state, input) => stateAfter(state, decide(state, input)), from);

const accepted = decided(byProvider, START, said('accepted'));
const cancelable: PayoutState = { ...accepted, attempt: accepted.attempt && { ...accepted.attempt, isCancelable: true } };

const EXAMPLES: readonly Example[] = [
  { title: 'Waiting for approval', about: 'A second actor has to approve it.', from: newPayout('provider', 'waiting') },
  { title: 'Queued for a provider', about: 'Its workflow sends it.', from: byProvider },
  { title: 'To be paid by a person', about: 'Nobody has started to pay it.', from: byPerson },
  {
    title: 'Pending, and its affiliate is blocked',
    about:
      'The same with a commission that a fraud review or a dispute holds, and with a cancelled run, and when a provider pays. A block that comes once the payment has begun changes nothing.',
    from: { ...byPerson, hold: 'affiliate_blocked' },
  },
  {
    title: 'Pending, and its run is paused',
    about: 'The same while another payout to the affiliate is contradicted, and when a provider pays.',
    from: { ...byPerson, hold: 'run_paused' },
  },
  { title: 'Being paid by a person', about: 'Somebody started to pay it.', from: byPerson, inputs: [{ type: 'process' }] },
  {
    title: 'Sent, outcome unknown',
    about: 'Also after a crash between the commit and the answer. It is looked up, and sent again only under the same key.',
    from: byProvider,
    inputs: [START],
  },
  {
    title: 'Reported before anything was sent',
    about: 'As after the restore of a backup: the provider knows a transfer that is not recorded here. Nothing is sent.',
    from: byProvider,
    inputs: [{ type: 'start', isReported: true }],
  },
  {
    title: 'Accepted by the provider',
    about: 'The provider has the order.',
    from: byProvider,
    inputs: [START, said('accepted')],
  },
  {
    title: 'Accepted, and waiting for its payee',
    about: 'The provider cancels it when it is asked to, as PayPal does while nobody claimed the payment.',
    from: cancelable,
  },
  {
    title: 'Accepted, and the provider is asked to cancel it',
    about: 'The workflow asks. An unclear answer is looked up; nothing is cancelled here before the provider says so.',
    from: cancelable,
    inputs: [{ type: 'cancel' }],
  },
  {
    title: 'A person has to decide',
    about: 'The order is not sent again meanwhile.',
    from: byProvider,
    inputs: [START, silence],
  },
  {
    title: 'Accepted, and a person has to decide',
    about: 'The provider may still pay it, so nobody may fail it.',
    from: byProvider,
    inputs: [START, said('accepted'), { type: 'review', reason: 'record_mismatch' }],
  },
  {
    title: 'Accepted, and silent for too long',
    about: 'Only now a person may fail what the provider accepted.',
    from: byProvider,
    inputs: [START, said('accepted'), { type: 'review', reason: 'accepted_too_long' }],
  },
  { title: 'Paid by the provider', about: 'The provider reported it.', from: byProvider, inputs: [START, said('paid')] },
  { title: 'Paid by a person', about: 'Somebody recorded it.', from: byPerson, inputs: [{ type: 'process' }, COMPLETE] },
  {
    title: 'Paid, and a person reported a return',
    about: 'A workflow asks the provider, and books nothing before it confirms.',
    from: byProvider,
    inputs: [START, said('paid'), { type: 'return', hasEvidence: false }],
  },
  {
    title: 'Paid, and the provider does not confirm the return',
    about: 'A person gives evidence, or withdraws the report.',
    from: byProvider,
    inputs: [START, said('paid'), { type: 'return', hasEvidence: false }, { type: 'review', reason: 'return_unconfirmed' }],
  },
  {
    title: 'Paid, and the provider reported a return',
    about: 'A workflow books it.',
    from: byProvider,
    inputs: [START, said('paid'), said('returned')],
  },
  {
    title: 'Paid, then reported as failed',
    about: 'A contradiction: both cannot be true, so nothing is booked until a person resolves it.',
    from: byProvider,
    inputs: [START, said('paid'), said('failed')],
  },
  { title: 'Failed at the provider', about: 'The money is payable again.', from: byProvider, inputs: [START, said('failed')] },
  {
    title: 'Failed, as a person recorded',
    about: 'After the provider was silent for too long.',
    from: byProvider,
    inputs: [START, silence, FAIL],
  },
  {
    title: 'Failed, then reported as paid',
    about: 'A contradiction: the money may have been paid twice once it is paid again.',
    from: byProvider,
    inputs: [START, said('failed'), said('paid')],
  },
  { title: 'Waiting for a bank file', about: 'Somebody makes a file that has it.', from: byBank },
  {
    title: 'In a bank file',
    about: 'From the moment at which the file is made: nobody knows whether a bank executes it until the bank says something.',
    from: byBank,
    inputs: [IN_FILE],
  },
  {
    title: 'Accepted by the bank',
    about: 'The file can no longer be discarded.',
    from: byBank,
    inputs: [IN_FILE, said('accepted')],
  },
  {
    title: 'Its bank file was discarded',
    about: 'No bank ever executes it.',
    from: byBank,
    inputs: [IN_FILE, { type: 'file_discarded' }],
  },
  { title: 'Cancelled', about: 'Before anything was sent.', from: byProvider, inputs: [{ type: 'cancel' }] },
  {
    title: 'Returned',
    about: 'It was paid, and the money came back.',
    from: byProvider,
    inputs: [START, said('paid'), said('returned'), { type: 'book_return' }],
  },
];

const stateOf = ({ from, inputs = [] }: Example): PayoutState => decided(from, ...inputs);

const isHold = (hold: string | null): hold is PayoutHold => (PAYOUT_HOLDS as readonly (string | null)[]).includes(hold);

const RAIL_OF = { person: 'manual', provider: 'sandbox', bank: 'sepa' } as const;

/** The name under which the API, Temporal and the console show it. */
export const shownStateOf = (state: PayoutState): string =>
  payoutSituation({
    status: state.status,
    rail: RAIL_OF[state.confirmedBy],
    needsAttention: state.review !== null,
    reviewReason: state.review,
    awaitsApproval: state.status === 'pending' && state.approval === 'waiting',
    onHold: isHold(state.hold) ? state.hold : null,
    attemptOutcome: state.attempt?.outcome ?? null,
    railReason: null,
    failureCode: state.failureCode,
    approveBy: null,
    decideBy: null,
  }).state;

const INPUTS: Readonly<Record<Input['type'], string>> = {
  approve: 'a second actor approves',
  process: 'a person starts to pay',
  put_into_file: 'a person puts it into a bank file',
  complete: 'a person marks it as paid',
  fail: 'a person marks it as failed',
  read_instructions: 'a person reads where to pay',
  cancel: 'a person cancels',
  return: 'a person reports that the money came back',
  resolve: 'a person resolves it',
  retry: 'a person retries',
  check: 'the workflow checks what came up',
  start: 'the workflow starts the payment',
  file_discarded: 'its bank file is discarded',
  withdraw: 'it is withdrawn',
  approval_reminder: 'the approval is overdue',
  reminder: 'the payment is overdue',
  resend: 'the provider never received it',
  looked_up: 'the provider answered a look-up',
  cancel_refused: 'the provider does not cancel it',
  review: 'a person has to decide',
  book_return: 'the workflow books a return',
  answer: 'the provider answers',
  notice: 'the provider notifies',
  hint: 'the provider notifies that something happened',
};

const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  hasNote: ['with a note', 'without a note'],
  hasEvidence: ['with evidence', 'without evidence'],
  isRunPaused: ['its run is paused', 'its run is not paused'],
  isReported: ['the provider reported it already', 'nobody heard of it before'],
  isLast: ['the last reminder', 'a reminder'],
  isRecorded: ['recorded before', 'new'],
  arePayoutsPaused: ['payouts to the affiliate are paused', 'payouts to the affiliate go on'],
  agrees: ['agrees with the order', 'disagrees with the order'],
  deniesEvidence: ['newer than the evidence of a return', 'older'],
};

/** Values of one member of the inputs that have the same result, unless they are all that it can have. */
const valuesOf = (name: string, among: readonly Row[], all: readonly Input[]): string | null => {
  const read = (input: Input): unknown => (input as unknown as Readonly<Record<string, unknown>>)[name];
  const [values, possible] = [new Set(among.map(({ input }) => read(input))), new Set(all.map(read))];
  if (values.size === possible.size) return null;
  const wordOf = (value: unknown): string =>
    typeof value === 'boolean' ? (WORDS[name]?.[value ? 0 : 1] ?? name) : String(value).replaceAll('_', ' ');
  return [...values].map(wordOf).join(' or ');
};

/** What tells these inputs apart from others of their type. */
const variantsOf = (among: readonly Row[], all: readonly Input[]): string => {
  const names = Object.keys(among[0]?.input ?? {}).filter((name) => name !== 'type');
  const words = names.flatMap((name) => valuesOf(name, among, all) ?? []);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
};

const MONEY = { in_payout: 'reserved', paid: 'paid', payable: 'payable again' } as const;

const OTHER_EFFECTS: Readonly<Partial<Record<Effect['do'], string>>> = {
  send: 'the order is sent',
  create_retry: 'a new payout is created',
  open_return: 'a workflow takes care of the return',
  open_contradiction: 'a workflow waits for the resolution',
  ask_for_approval: 'those who may approve are emailed',
  remind: 'finance is emailed',
};

const effectText = (effect: Effect): string | null => {
  if (effect.do === 'emit') return `\`${effect.event}\``;
  return OTHER_EFFECTS[effect.do] ?? null;
};

const linesOf = (steps: readonly Step[], pick: (effect: Effect) => string | null): string =>
  steps.flatMap(({ effects }) => effects.flatMap((effect) => pick(effect) ?? [])).join(', ');

interface Row {
  input: Input;
  cells: string;
}

const rowOf = (state: PayoutState, input: Input): Row | null => {
  const decision = decide(state, input);
  if (isRefusal(decision)) return { input, cells: `refused: \`${decision.refused}\` | | |` };
  if (decision.steps.length === 0) return null;
  const after = stateAfter(state, decision);
  const moved = moneyIn(after) === moneyIn(state) ? '' : MONEY[moneyIn(after)];
  const recorded = linesOf(decision.steps, (effect) => (effect.do === 'record' ? `\`${effect.entry}\`` : null));
  const cells = [describe(after), moved, recorded, linesOf(decision.steps, effectText)];
  return { input, cells: cells.join(' | ') };
};

const describe = (state: PayoutState): string => {
  const parts = [`**${shownStateOf(state)}**`, `status ${state.status}`];
  if (state.attempt) parts.push(`attempt ${state.attempt.outcome}`);
  if (state.review) parts.push(`review \`${state.review}\``);
  return parts.join(', ');
};

/** Inputs of one type with the same result are one row. */
const tableOf = (state: PayoutState): string[] => {
  const rows = inputsFor(state).flatMap((input) => rowOf(state, input) ?? []);
  const groups = Map.groupBy(rows, ({ input, cells }) => `${input.type} ${cells}`);
  const counts = Map.groupBy(inputsFor(state), ({ type }) => type);
  return [...groups.values()].map((group) => {
    const [{ input, cells }] = group as [Row];
    return `| ${INPUTS[input.type]}${variantsOf(group, counts.get(input.type) ?? [])} | ${cells} |`;
  });
};

/** Refusals that say no more than that the input is about another kind of payout. */
const USUAL = ['`APPROVAL_NOT_REQUIRED`', '`NOT_FAILED`', '`NOTHING_TO_RESOLVE`'] as const;

const sectionOf = (example: Example): string[] => {
  const state = stateOf(example);
  const rows = tableOf(state);
  const changes = rows.filter((row) => !row.includes('| refused:'));
  const refusals = rows.filter((row) => row.includes('| refused:') && !USUAL.some((reason) => row.includes(reason)));
  return [
    '',
    `## ${example.title}`,
    '',
    `${example.about} Shown as ${describe(state)}; the money is ${MONEY[moneyIn(state)]}.`,
    '',
    ...(changes.length === 0
      ? ['Nothing changes it any more.']
      : ['| When | It becomes | Money | Timeline | Events, and what else happens |', '|---|---|---|---|---|', ...changes]),
    ...(refusals.length === 0 ? [] : ['', `Refused: ${refusals.map((row) => refusalText(row)).join('; ')}.`]),
  ];
};

const refusalText = (row: string): string => {
  const [, when = '', refusal = ''] = row.split('|').map((cell) => cell.trim());
  return `${when} (${refusal.replace('refused: ', '')})`;
};

/** Every change of the shown state, of the examples. */
const pictureOf = (): string[] => {
  const edges = new Set<string>();
  for (const example of EXAMPLES) {
    const state = stateOf(example);
    for (const input of inputsFor(state)) {
      const [from, to] = [shownStateOf(state), shownStateOf(stateAfter(state, decide(state, input)))];
      if (from !== to) edges.add(`  ${from} --> ${to}`);
    }
  }
  const starts = [...new Set([newPayout('provider', 'waiting'), byProvider, byPerson].map(shownStateOf))];
  return ['```mermaid', 'stateDiagram-v2', ...starts.map((state) => `  [*] --> ${state}`), ...[...edges].sort(), '```'];
};

export const payoutLifePage = (): string =>
  [
    '# The life of a payout',
    '',
    'Generated by `npm run generate` from `src/domains/payouts/machine`: edit the machine, not this page.',
    '',
    'A payout has one of four statuses: `pending`, `processing`, `completed` (paid) and `failed`. Its money is reserved until it ends, then paid',
    'or payable again; a correction may move it once more. What happens to a payout is an *input*. `decide(state, input)` returns what the payout',
    'becomes and what else happens (the timeline, the ledger, events, workflows), or the reason of a 409. `apply.ts` is the only code that writes it,',
    'in one transaction, under the lock of the affiliate’s balance and of the payout.',
    '',
    'An order is stored as sent before it is sent, always under one idempotency key. So after a crash its outcome is *unknown*, never "not sent":',
    'the provider is asked, and a person decides when it cannot say. Reports that contradict the record book nothing.',
    '',
    'The names in bold are those of `situation.state` in the API, of `State` in Temporal, and of the console. The picture has the changes of the',
    'examples below; each section is one example, so a payout that a person pays has the same rules in the others. An input that a section does',
    'not name changes nothing. Only a payout that waits for it is approved, only a failed one is retried, and only a contradiction or an',
    'unconfirmed return is resolved: `APPROVAL_NOT_REQUIRED`, `NOT_FAILED` and `NOTHING_TO_RESOLVE` are left out below.',
    '',
    'A provider *answers* a send or a look-up, which is about this order for sure. It *notifies* by a message of its own, which may disagree with the',
    'order in reference, amount or currency; then the provider is asked. *Evidence* is what a person gives to prove a return that the provider does not',
    'report. A payout is *withdrawn* when its run is cancelled, or when whoever created it may no longer pay.',
    '',
    ...pictureOf(),
    ...EXAMPLES.flatMap((example) => sectionOf(example)),
    '',
  ].join('\n');
