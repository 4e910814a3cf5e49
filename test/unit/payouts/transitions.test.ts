import {
  ATTEMPT_OUTCOMES,
  canResolve,
  canTransition,
  canTransitionAttempt,
  PAYOUT_STATUSES,
} from '../../../src/contracts/payouts.ts';

/** The payout table of the specification: from, to, and what causes it. */
const PAYOUT_TRANSITIONS = [
  ['pending', 'processing', 'the first attempt is stored'],
  ['pending', 'failed', 'the payout is cancelled before an attempt exists, or no rail can take it'],
  ['processing', 'completed', 'the provider reports it paid, or a person marks it as paid'],
  ['processing', 'failed', 'the provider reports a definite failure, or a person marks it as failed'],
  ['completed', 'failed', 'the provider returned the money'],
] as const;

it.each(PAYOUT_TRANSITIONS)('a %s payout becomes %s when %s', (from, to) => {
  expect(canTransition(from, to)).toBe(true);
});

it('a payout has no other transition', () => {
  const allowed = PAYOUT_STATUSES.flatMap((from) =>
    PAYOUT_STATUSES.filter((to) => canTransition(from, to)).map((to) => [from, to]),
  );
  expect(allowed.sort()).toEqual(PAYOUT_TRANSITIONS.map(([from, to]) => [from, to]).sort());
});

it('W2: only the resolution of a contradiction moves a payout between its final statuses', () => {
  const resolved = PAYOUT_STATUSES.flatMap((from) =>
    PAYOUT_STATUSES.filter((to) => canResolve(from, to)).map((to) => [from, to]),
  );
  expect(resolved).toEqual([
    ['completed', 'failed'],
    ['failed', 'completed'],
  ]);
});

/** Outcomes of an attempt in the specification. An unknown outcome may only be resolved by what the provider reports. */
const ATTEMPT_TRANSITIONS = [
  ['created', 'unknown', 'it is about to be sent, so that a crash leaves it unknown'],
  ['created', 'accepted', 'the provider accepts it'],
  ['created', 'paid', 'a person marks it as paid'],
  ['created', 'failed', 'a person marks it as failed'],
  ['unknown', 'accepted', 'the provider accepted it'],
  ['unknown', 'paid', 'the provider paid it'],
  ['unknown', 'failed', 'the provider rejected it'],
  ['accepted', 'paid', 'the provider paid it'],
  ['accepted', 'failed', 'the provider failed it after accepting it'],
  ['paid', 'returned', 'the money came back'],
] as const;

it.each(ATTEMPT_TRANSITIONS)('an attempt goes from %s to %s when %s', (from, to) => {
  expect(canTransitionAttempt(from, to)).toBe(true);
});

it('an attempt has no other transition: none is forgotten, and a failed or returned one stays so', () => {
  const allowed = ATTEMPT_OUTCOMES.flatMap((from) =>
    ATTEMPT_OUTCOMES.filter((to) => canTransitionAttempt(from, to)).map((to) => [from, to]),
  );
  expect(allowed.sort()).toEqual(ATTEMPT_TRANSITIONS.map(([from, to]) => [from, to]).sort());
});
