import { type AttemptOutcome, canResolve, canTransition, type PayoutStatus } from '../../../src/contracts/payouts.ts';
import { type Change, isRefusal, stateAfter } from '../../../src/domains/payouts/machine/change.ts';
import { decide } from '../../../src/domains/payouts/machine/decide.ts';
import { inputsFor, newPayout, PERSON_INPUTS, reachableStates } from '../../../src/domains/payouts/machine/explore.ts';
import type { Input } from '../../../src/domains/payouts/machine/inputs.ts';
import { moneyIn, type PayoutState } from '../../../src/domains/payouts/machine/state.ts';

const STATES = reachableStates();

type Look = (before: PayoutState, input: Input, change: Change) => boolean;

/** Looks at every decision in every reachable state that changes something. Returns the first ones that are wrong. */
const wrongChanges = (isRight: Look): { state: PayoutState; input: Input; change: Change }[] => {
  const changes = STATES.flatMap((state) =>
    inputsFor(state).flatMap((input) => {
      const change = decide(state, input);
      return isRefusal(change) || change.steps.length === 0 ? [] : [{ state, input, change }];
    }),
  );
  expect(changes.length).toBeGreaterThan(1_000);
  return changes.filter(({ state, input, change }) => !isRight(state, input, change)).slice(0, 3);
};

/** The states before and after each step. */
const pairsOf = (before: PayoutState, { steps }: Change) =>
  steps.map(({ next, effects }, at) => ({ before: steps[at - 1]?.next ?? before, after: next, effects }));

const isPersons = (input: Input): boolean => PERSON_INPUTS.some(({ type }) => type === input.type);

const AGREEING: Readonly<Record<AttemptOutcome, PayoutStatus>> = {
  created: 'processing',
  unknown: 'processing',
  accepted: 'processing',
  paid: 'completed',
  failed: 'failed',
  returned: 'failed',
};

it('every reachable state is consistent', () => {
  expect(STATES.length).toBeGreaterThan(100);
  const wrong = STATES.filter(({ status, failureCode, attempt, review, contradiction }) => {
    const isAgreed = attempt ? AGREEING[attempt.outcome] === status : status === 'pending' || status === 'failed';
    const isFailed = (failureCode !== null) === (status === 'failed');
    return !(isAgreed && isFailed && (contradiction !== null) === (review === 'contradiction'));
  });
  expect(wrong.slice(0, 3)).toEqual([]);
});

it('the money is in one place: each change of the place is posted once, from where it was to where it is', () => {
  const wrong = wrongChanges((state, _, change) =>
    pairsOf(state, change).every(({ before, after, effects }) => {
      const posts = effects.filter((effect) => effect.do === 'post');
      if (moneyIn(before) === moneyIn(after)) return posts.length === 0;
      return posts.length === 1 && posts[0]?.from === moneyIn(before) && posts[0].to === moneyIn(after);
    }),
  );
  expect(wrong).toEqual([]);
});

it('each change of the status is legal, on the timeline once, and announced by its event', () => {
  const wrong = wrongChanges((state, _, change) =>
    pairsOf(state, change).every(({ before, after, effects }) => {
      const entries = effects.filter((effect) => effect.do === 'record' && effect.isTransition === true);
      if (before.status === after.status) return entries.length === 0;
      const [entry] = entries;
      const isAllowed = entry?.do === 'record' && entry.entry === 'contradiction_resolved' ? canResolve : canTransition;
      const isAnnounced = effects.some((effect) => effect.do === 'emit' && effect.event === `payout.${after.status}`);
      return entries.length === 1 && isAllowed(before.status, after.status) && isAnnounced;
    }),
  );
  expect(wrong).toEqual([]);
});

it('an order is sent under the one key only, never while a person decides, and never after the end', () => {
  const wrong = wrongChanges((state, _, change) => {
    const sends = change.steps.flatMap(({ effects }) => effects.filter((effect) => effect.do === 'send'));
    const { attempt, status, review } = stateAfter(state, change);
    const isCounted = (attempt?.sends ?? 0) === (state.attempt?.sends ?? 0) + sends.length;
    if (sends.length === 0) return isCounted;
    const isAllowed = status === 'processing' && attempt?.outcome === 'unknown' && review === null && state.hold === null;
    return isCounted && isAllowed && sends.length === 1;
  });
  expect(wrong).toEqual([]);
});

it('what is recorded as paid stays so: a second confirmation of any kind moves no money', () => {
  const wrong = wrongChanges((state, input, change) => {
    const isPaid = input.type === 'complete' || ('status' in input && input.status === 'paid');
    return state.status !== 'completed' || !isPaid || moneyIn(stateAfter(state, change)) === 'paid';
  });
  expect(wrong).toEqual([]);
});

it('what a person did is refused the second time', () => {
  const wrong = wrongChanges((state, input, change) => {
    // A retry is another payout, and instructions are read as often as needed. After a contradiction, `paid` also withdraws an open return.
    const isOther =
      input.type === 'retry' || input.type === 'read_instructions' || (input.type === 'resolve' && state.returnReport !== null);
    if (!isPersons(input) || isOther) return true;
    const second = decide(stateAfter(state, change), input);
    // A provider is asked to cancel once, however often people ask.
    return isRefusal(second) || (input.type === 'cancel' && state.attempt !== null && second.steps.length === 0);
  });
  expect(wrong).toEqual([]);
});

it('there is a way out of every state in which a person has to decide', () => {
  const stuck = STATES.filter(
    (state) =>
      state.review !== null &&
      [...PERSON_INPUTS, { type: 'book_return' } as const].every((input) => {
        const decision = decide(state, input);
        return isRefusal(decision) || decision.steps.length === 0;
      }),
  );
  expect(stuck.slice(0, 3)).toEqual([]);
});

it('a late click after the payment cannot make the money payable again', () => {
  const paid = [
    { type: 'start', isReported: false },
    { type: 'answer', status: 'paid', deniesEvidence: false },
  ] as const;
  const completed = paid.reduce<PayoutState>((state, input) => stateAfter(state, decide(state, input)), newPayout('provider'));
  expect(completed).toMatchObject({ status: 'completed', attempt: { outcome: 'paid', sends: 1 } });
  expect(decide(completed, { type: 'fail', hasNote: true })).toMatchObject({ refused: 'ALREADY_COMPLETED' });
  expect(decide(completed, { type: 'cancel' })).toMatchObject({ refused: 'ATTEMPT_STARTED' });
});
