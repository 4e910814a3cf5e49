import { RAIL_STATUSES, RESOLUTIONS, REVIEW_REASONS } from '../../../contracts/payouts.ts';
import { stateAfter } from './change.ts';
import { decide } from './decide.ts';
import type { Input, PersonInput, ProviderInput, SystemInput } from './inputs.ts';
import { HOLDS, isFinal, type PayoutState } from './state.ts';

const yesAndNo = [true, false];

/** Every input of a kind. */
export const PERSON_INPUTS: readonly PersonInput[] = [
  { type: 'approve' },
  { type: 'process' },
  ...yesAndNo.map((isReported): PersonInput => ({ type: 'put_into_file', isReported })),
  ...yesAndNo.flatMap((hasNote): PersonInput[] => [
    { type: 'complete', hasNote },
    { type: 'fail', hasNote },
  ]),
  ...yesAndNo.map((isRunPaused): PersonInput => ({ type: 'read_instructions', isRunPaused })),
  { type: 'cancel' },
  ...yesAndNo.map((hasEvidence): PersonInput => ({ type: 'return', hasEvidence })),
  ...RESOLUTIONS.map((outcome): PersonInput => ({ type: 'resolve', outcome })),
  { type: 'retry' },
];

export const PROVIDER_INPUTS: readonly ProviderInput[] = [
  ...RAIL_STATUSES.flatMap((status) =>
    yesAndNo.flatMap((deniesEvidence): ProviderInput[] => [
      { type: 'answer', status, deniesEvidence },
      ...yesAndNo.map((agrees): ProviderInput => ({ type: 'notice', agrees, status, deniesEvidence })),
    ]),
  ),
  { type: 'hint' },
];

export const SYSTEM_INPUTS: readonly SystemInput[] = [
  { type: 'check' },
  { type: 'file_discarded' },
  ...yesAndNo.map((isReported): SystemInput => ({ type: 'start', isReported })),
  { type: 'withdraw', because: 'run_cancelled' },
  { type: 'withdraw', because: 'creator_gone' },
  ...yesAndNo.flatMap((isLast) =>
    yesAndNo.flatMap((isRecorded): SystemInput[] => [
      { type: 'approval_reminder', isLast, isRecorded },
      { type: 'reminder', isLast, isRecorded },
    ]),
  ),
  ...yesAndNo.map((arePayoutsPaused): SystemInput => ({ type: 'resend', arePayoutsPaused })),
  { type: 'looked_up' },
  { type: 'cancel_refused' },
  ...REVIEW_REASONS.filter((reason) => reason !== 'contradiction').map((reason): SystemInput => ({ type: 'review', reason })),
  { type: 'book_return' },
];

/** The inputs that can come to such a payout: nobody asks a provider about one that a person pays, nor reminds a person of the other, and a bank is not asked. */
export const inputsFor = ({ confirmedBy }: Pick<PayoutState, 'confirmedBy'>): readonly Input[] => {
  const providers = confirmedBy === 'person' ? [] : PROVIDER_INPUTS;
  return [...PERSON_INPUTS, ...providers, ...SYSTEM_INPUTS].filter(({ type }) => !NEVER[confirmedBy].has(type));
};

const NEVER: Readonly<Record<PayoutState['confirmedBy'], ReadonlySet<Input['type']>>> = {
  person: new Set(['put_into_file', 'file_discarded', 'start', 'resend', 'looked_up', 'cancel_refused', 'review', 'book_return']),
  provider: new Set(['put_into_file', 'file_discarded', 'reminder']),
  bank: new Set(['start', 'resend', 'looked_up', 'cancel_refused', 'notice', 'hint']),
};

/** As it was created. */
export const newPayout = (
  confirmedBy: PayoutState['confirmedBy'],
  approval: PayoutState['approval'] = 'not_required',
): PayoutState => ({
  status: 'pending',
  failureCode: null,
  confirmedBy,
  approval,
  hold: null,
  attempt: null,
  review: null,
  contradiction: null,
  returnReport: null,
  isRetried: false,
});

/** Sends under one key that are told apart: none, the first, and further ones. */
const MAX_SENDS = 2;

/** Every state that a sequence of inputs leads to, while anything else may come and go that stands against the payment. */
export const reachableStates = (): PayoutState[] => {
  const starts = (['person', 'provider', 'bank'] as const).flatMap((confirmedBy) =>
    (['not_required', 'waiting'] as const).map((approval) => newPayout(confirmedBy, approval)),
  );
  const found = new Map(starts.map((state) => [JSON.stringify(state), state]));
  for (const state of found.values()) {
    const held = isFinal(state) ? [] : [null, ...HOLDS].map((hold): PayoutState => ({ ...state, hold }));
    const decided = inputsFor(state).map((input) => stateAfter(state, decide(state, input)));
    for (const next of [...held, ...movedAtProvider(state), ...decided]) {
      if ((next.attempt?.sends ?? 0) <= MAX_SENDS) found.set(JSON.stringify(next), next);
    }
  }
  return [...found.values()];
};

/** An accepted payment comes into states of its provider in which it can be cancelled, and out of them. */
const movedAtProvider = (state: PayoutState): PayoutState[] => {
  const { attempt } = state;
  if (attempt?.outcome !== 'accepted' || state.confirmedBy !== 'provider') return [];
  return yesAndNo.map((isCancelable) => ({ ...state, attempt: { ...attempt, isCancelable } }));
};
