import { RAILS } from '../../../src/contracts/rails.ts';
import { limitOf, pauseAfter } from '../../../src/domains/payouts/rails/provider-states.rules.ts';

const facts = { ...RAILS.sandbox.facts, acceptedForMs: { default: 100, UNCLAIMED: 500 } };
const acceptedAt = new Date(1_000);
const railStateAt = new Date(2_000);

it('a state with a limit of its own has all of it from when it began; others share that of the acceptance', () => {
  expect(limitOf(facts, { railState: 'PENDING', railStateAt, acceptedAt })).toEqual({ maxMs: 100, since: acceptedAt });
  expect(limitOf(facts, { railState: 'UNCLAIMED', railStateAt, acceptedAt })).toEqual({ maxMs: 500, since: railStateAt });
  expect(limitOf(facts, { railState: null, acceptedAt })).toEqual({ maxMs: 100, since: acceptedAt });
});

it('the pauses of a state follow one another, and the last one is repeated', () => {
  const pauses = [100, 300, 1_000];
  const times: number[] = [];
  for (let elapsedMs = 0; times.length < 5; ) {
    const pauseMs = pauseAfter(pauses, elapsedMs);
    times.push(pauseMs);
    elapsedMs += Math.round(pauseMs * 0.9);
  }
  expect(times).toEqual([100, 300, 1_000, 1_000, 1_000]);
  expect(pauseAfter([], 5)).toBe(0);
});
