import type { ListedMovement } from '../../../src/domains/payouts/index.ts';
import { createTally } from '../../../src/domains/reconciliation/tally.rules.ts';
import { createTotals } from '../../../src/domains/reconciliation/totals.rules.ts';

const BEFORE = new Date('2026-03-09T04:00:00Z');
const SINCE = new Date('2026-03-10T04:00:00Z');
const AFTER = new Date('2026-03-10T09:00:00Z');

const movement = (more: Partial<ListedMovement>): ListedMovement => ({
  ...{ id: 'm1', kind: 'payment', idempotencyKey: null, reference: null, references: {}, status: 'paid', state: 'S' },
  ...{ amountMinor: 2_000, currency: 'usd', fee: null, receiver: null, occurredAt: AFTER },
  ...more,
});

const listed = [
  movement({ id: 'old', occurredAt: BEFORE, amountMinor: 90_000 }),
  movement({ id: 'p1', fee: { amountMinor: 25, currency: 'usd' } }),
  movement({ id: 'p2', currency: 'eur', fee: { amountMinor: 30, currency: 'usd' } }),
  movement({ id: 'p3', status: 'failed' }),
  movement({ id: 'r1', kind: 'return', status: 'returned' }),
  movement({ id: 'f1', kind: 'fee', amountMinor: 7 }),
  movement({ id: 'topup', kind: 'other', amountMinor: 50_000 }),
  movement({ id: 'withdrawal', kind: 'other', amountMinor: -1_000, currency: 'eur' }),
];

test('what moved since the balance before, ours or not, makes the balance now, in each currency', () => {
  const tally = createTally(SINCE);
  tally.add(listed);
  const balances = { opening: { usd: 10_000, eur: 9_000 }, moved: tally.moved(), closing: { usd: 59_938, eur: 6_000 } };
  const totals = createTotals(tally.others()).list(balances);
  expect(totals.map(({ currency, opening, moved, closing }) => [currency, opening, moved, closing])).toEqual([
    ['eur', 9_000, -3_000, 6_000],
    ['usd', 10_000, 49_938, 59_938],
  ]);
  for (const { opening, moved, closing } of totals) expect((opening ?? 0) + (moved ?? 0)).toBe(closing);
});

test('without a balance before, nothing is said about what moved', () => {
  const tally = createTally();
  tally.add(listed);
  const [total] = createTotals(tally.others()).list({ opening: null, moved: tally.moved(), closing: { usd: 1 } });
  expect(tally.moved().size).toBe(0);
  expect(createTotals(new Map()).list({ opening: null, moved: new Map(), closing: { usd: 1 } })).toMatchObject([
    { currency: 'usd', opening: null, moved: null, closing: 1 },
  ]);
  expect(total).toMatchObject({ moved: null });
});
