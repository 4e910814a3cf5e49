import type { DifferenceKind } from '../../../src/contracts/reconciliation.ts';
import type { ListedMovement } from '../../../src/domains/payouts/index.ts';
import {
  type CompareLimits,
  comparePayment,
  isMissingHere,
  type OurPayment,
} from '../../../src/domains/reconciliation/compare.rules.ts';
import { createTally, type TheirPayment } from '../../../src/domains/reconciliation/tally.rules.ts';

const NOW = new Date('2026-03-10T12:00:00Z');
const HOUR = 3_600_000;
const hoursAgo = (hours: number): Date => new Date(NOW.getTime() - hours * HOUR);

const LATE_HOURS = 4;
const limits: CompareLimits = {
  now: NOW,
  isListed: (at) => at <= hoursAgo(LATE_HOURS),
  pendingForMs: (state) => (state === 'UNCLAIMED' ? 35 * 24 * HOUR : 72 * HOUR),
};

const ours = (more: Partial<OurPayment> = {}): OurPayment => ({
  payoutId: 'payout',
  merchantId: 'merchant',
  programId: 'program',
  idempotencyKey: 'key',
  outcome: 'paid',
  amountMinor: 4_860,
  currency: 'usd',
  fees: [{ amountMinor: 25, currency: 'usd' }],
  receiver: 'Ada@example.com',
  sentAt: hoursAgo(10),
  dueAt: hoursAgo(10),
  changedAt: hoursAgo(9),
  ...more,
});

const movement = (more: Partial<ListedMovement> = {}): ListedMovement => ({
  id: 'm1',
  kind: 'payment',
  idempotencyKey: 'key',
  reference: 'payout',
  references: { transaction: 'm1' },
  status: 'paid',
  state: 'SUCCESS',
  amountMinor: 4_860,
  currency: 'usd',
  fee: { amountMinor: 25, currency: 'usd' },
  receiver: 'ada@example.com',
  occurredAt: hoursAgo(10),
  ...more,
});

const listed = (...movements: ListedMovement[]): TheirPayment | null => {
  const tally = createTally();
  tally.add(movements);
  return tally.payments()[0] ?? null;
};

const kinds = (payment: OurPayment, theirs: TheirPayment | null): DifferenceKind[] =>
  comparePayment(payment, theirs, limits).map(({ kind }) => kind);

test('a payment that both sides tell alike differs in nothing', () => {
  expect(kinds(ours(), listed(movement()))).toEqual([]);
});

test.each<[DifferenceKind, OurPayment, TheirPayment | null]>([
  ['missing_there', ours(), null],
  ['missing_there', ours({ outcome: 'accepted' }), null],
  ['amount', ours(), listed(movement({ amountMinor: 4_861 }))],
  ['currency', ours(), listed(movement({ currency: 'eur' }))],
  ['state', ours({ outcome: 'failed' }), listed(movement())],
  ['state', ours(), listed(movement({ status: 'failed', state: 'FAILED' }))],
  ['state', ours(), listed(movement({ status: 'unknown', state: 'BLOCKED' }))],
  ['twice', ours(), listed(movement(), movement({ id: 'm2', fee: null }))],
  ['fee', ours(), listed(movement({ fee: { amountMinor: 30, currency: 'usd' } }))],
  ['fee', ours(), listed(movement({ fee: { amountMinor: 25, currency: 'eur' } }))],
  ['fee', ours({ fees: [] }), listed(movement())],
  [
    'fee',
    ours({ fees: [{ amountMinor: 25, currency: 'usd' }] }),
    listed(movement(), movement({ id: 'f1', kind: 'fee', amountMinor: 4, currency: 'eur' })),
  ],
  ['destination', ours(), listed(movement({ receiver: 'eve@example.com' }))],
  [
    'late',
    ours({ outcome: 'accepted', sentAt: hoursAgo(80) }),
    listed(movement({ status: 'pending', occurredAt: hoursAgo(80) })),
  ],
  ['unknown_reference', ours(), listed(movement({ reference: 'another' }))],
])('%s', (kind, payment, theirs) => {
  expect(kinds(payment, theirs)).toEqual([kind]);
});

test('what the provider may list later is not missing', () => {
  expect(kinds(ours({ dueAt: hoursAgo(LATE_HOURS - 1) }), null)).toEqual([]);
});

test.each(['unknown', 'failed'] as const)('an order with the outcome %s may never have reached the provider', (outcome) => {
  expect(kinds(ours({ outcome }), null)).toEqual([]);
});

test('what changed a short time ago may be listed as it was before', () => {
  expect(kinds(ours({ changedAt: hoursAgo(1) }), listed(movement({ status: 'pending' })))).toEqual([]);
});

test('what the provider knows about an open payment is asked for first', () => {
  const [found] = comparePayment(ours({ outcome: 'accepted' }), listed(movement()), limits);
  expect(found).toMatchObject({ kind: 'state', isExplained: true });
  const [final] = comparePayment(ours({ outcome: 'failed' }), listed(movement()), limits);
  expect(final).toMatchObject({ kind: 'state', isExplained: false });
});

test('a provider may take longer in one state than in another', () => {
  const waiting = listed(movement({ status: 'pending', state: 'UNCLAIMED', occurredAt: hoursAgo(80) }));
  expect(kinds(ours({ outcome: 'accepted' }), waiting)).toEqual([]);
});

test('money that came back is one payment with its return, in any order, and as a movement of its own or not', () => {
  const back = movement({ id: 'r1', kind: 'return', idempotencyKey: null, reference: null, references: { transaction: 'm1' } });
  for (const theirs of [listed(movement(), back), listed(back, movement()), listed(movement({ status: 'returned' }))]) {
    expect(kinds(ours({ outcome: 'returned' }), theirs)).toEqual([]);
    expect(kinds(ours(), theirs)).toEqual(['state']);
  }
});

test('a part that came back is for a person', () => {
  const part = movement({ id: 'r1', kind: 'return', amountMinor: 1_000 });
  expect(kinds(ours({ outcome: 'returned' }), listed(movement(), part))).toEqual(['state']);
});

test('fees in several currencies agree each on its own, and the one that differs is named', () => {
  const fees = [
    { amountMinor: 25, currency: 'usd' },
    { amountMinor: 4, currency: 'eur' },
  ];
  const conversion = (amountMinor: number) => movement({ id: 'f1', kind: 'fee', amountMinor, currency: 'eur' });
  expect(kinds(ours({ fees }), listed(movement(), conversion(4)))).toEqual([]);
  expect(kinds(ours({ fees }), listed(conversion(4), movement()))).toEqual([]);
  expect(comparePayment(ours({ fees }), listed(movement(), conversion(5)), limits)).toMatchObject([
    { kind: 'fee', feeCurrency: 'eur', facts: '5 eur' },
  ]);
});

test('a fee that is charged on its own is compared with that of its payment', () => {
  const charged = movement({ id: 'f1', kind: 'fee', amountMinor: 25 });
  expect(kinds(ours(), listed(movement({ fee: null }), charged))).toEqual([]);
});

test('a failure beside a payment moves nothing', () => {
  const failed = movement({ id: 'm0', status: 'failed', state: 'FAILED', amountMinor: 1, fee: null });
  expect(kinds(ours(), listed(failed, movement()))).toEqual([]);
});

test('a receiver is the same in another case and with blanks', () => {
  expect(
    kinds(ours({ receiver: 'DE89370400440532013000' }), listed(movement({ receiver: 'de89 3704 0044 0532 0130 00' }))),
  ).toEqual([]);
});

test('the facts of a difference are stable, and others are another difference', () => {
  const factsOf = (amountMinor: number) => comparePayment(ours(), listed(movement({ amountMinor })), limits)[0]?.facts;
  expect(factsOf(1)).toBe(factsOf(1));
  expect(factsOf(1)).not.toBe(factsOf(2));
});

test.each<[boolean, Partial<ListedMovement>]>([
  [true, {}],
  [true, { status: 'pending' }],
  [true, { status: 'unknown' }],
  [false, { status: 'failed' }],
  [false, { status: 'returned' }],
])('whether a payment is missing here: %s of %j', (isMissing, more) => {
  const theirs = listed(movement(more));
  expect(theirs && isMissingHere(theirs, () => true)).toBe(isMissing);
  expect(theirs && isMissingHere(theirs, () => false)).toBe(false);
});

test('what is no payment is added up by currency', () => {
  const tally = createTally();
  tally.add([
    movement({ id: 'o1', kind: 'other', amountMinor: 500 }),
    movement({ id: 'o2', kind: 'other', amountMinor: -200 }),
    movement({ id: 'o3', kind: 'other', amountMinor: 7, currency: 'eur' }),
  ]);
  expect(Object.fromEntries(tally.others())).toEqual({ usd: { movements: 2, amount: 300 }, eur: { movements: 1, amount: 7 } });
  expect(tally.payments()).toEqual([]);
});
