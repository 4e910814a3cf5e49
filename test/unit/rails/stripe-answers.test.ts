import type { TransferOrder } from '../../../src/domains/payouts/rails/rail.ts';
import { answerOfLookUp, answerOfSend, isKeptRefusal } from '../../../src/domains/payouts/rails/stripe_connect/stripe-answers.ts';
import type { Heard, StripeError } from '../../../src/domains/payouts/rails/stripe_connect/stripe-library.ts';
import { fromStripeAmount, toStripeAmount } from '../../../src/domains/payouts/rails/stripe_connect/stripe-money.ts';
import { noticeOf } from '../../../src/domains/payouts/rails/stripe_connect/stripe-notices.ts';

const order: TransferOrder = {
  idempotencyKey: 'payout-p1-1',
  reference: 'p1',
  amountMinor: 1_000,
  currency: 'eur',
  details: {
    method: 'bank_transfer',
    ...{ paypalEmail: null, bankIban: null, bankBic: null, bankAccountHolder: null },
    connected: { rail: 'stripe_connect', account: 'acct_1' },
  },
};
const given = { order, request: {} };

const transfer = {
  ...{
    id: 'tr_1',
    object: 'transfer',
    amount: 1_000,
    amount_reversed: 0,
    balance_transaction: 'txn_1',
    created: 1,
    currency: 'eur',
  },
  ...{
    destination: 'acct_1',
    metadata: { payoutId: 'p1', attempt: 'payout-p1-1' },
    reversed: false,
    transfer_group: 'payout-p1-1',
  },
};
const listOf = (...data: unknown[]) => ({ value: { object: 'list', data, has_more: false } });

const errorOf = (status: number, more: Partial<StripeError> = {}): { error: StripeError } => ({
  error: { status, code: null, type: 'invalid_request_error', param: null, isReplayed: false, retryAfterMs: 0, ...more },
});

test('a transfer is paid, taken back it is returned, and taken back in part it is for a person', () => {
  expect(answerOfSend({ value: transfer }, given)).toMatchObject({
    outcome: 'paid',
    railReference: 'tr_1',
    references: { transaction: 'tr_1', booking: 'txn_1' },
    state: 'paid',
    fault: null,
  });
  const back = { ...transfer, amount_reversed: 1_000, reversed: true };
  expect(answerOfLookUp(listOf(back), given)).toMatchObject({
    outcome: 'returned',
    state: 'reversed',
    fault: { class: 'unclear' },
  });
  const partly = { ...transfer, amount_reversed: 400 };
  expect(answerOfLookUp(listOf(partly), given)).toMatchObject({ outcome: 'unknown', needsReview: 'status_unknown' });
});

test.each<[number, Partial<StripeError>, string, string]>([
  [400, { code: 'balance_insufficient' }, 'balance_insufficient', 'account'],
  [400, { code: 'transfers_not_allowed' }, 'transfers_not_allowed', 'account'],
  [403, { code: 'platform_restricted' }, 'platform_restricted', 'account'],
  [401, {}, 'http_401', 'account'],
  [401, { code: 'api_key_expired' }, 'api_key_expired', 'account'],
  [403, {}, 'http_403', 'account'],
  [403, { code: 'code_of_tomorrow' }, 'code_of_tomorrow', 'account'],
  [409, { code: 'idempotency_key_in_use' }, 'idempotency_key_in_use', 'provider'],
  [429, {}, 'http_429', 'provider'],
  [429, { code: 'lock_timeout' }, 'lock_timeout', 'provider'],
])('%d %j took no order: %s, of class %s', (status, more, code, fault) => {
  const answer = answerOfSend(errorOf(status, { ...more, retryAfterMs: 3_000 }), given);
  expect(answer).toMatchObject({ outcome: 'unknown', problem: `http_${status}`, needsReview: null });
  expect(answer).toMatchObject({ notTaken: { retryAfterMs: 3_000 }, fault: { code, class: fault } });
});

test.each<[number, Partial<StripeError>, string]>([
  [400, { code: 'insufficient_capabilities_for_transfer' }, 'payee'],
  [403, { code: 'account_invalid' }, 'payee'],
  [400, { code: 'account_closed' }, 'payee'],
  [400, { code: 'resource_missing', param: 'destination' }, 'payee'],
  [400, { code: 'resource_missing', param: 'source_transaction' }, 'unclear'],
  [400, { code: 'amount_too_large' }, 'order'],
  [400, { code: 'code_of_tomorrow' }, 'unclear'],
  [400, {}, 'unclear'],
])('%d %j fails, and blames: %s', (status, more, fault) => {
  expect(answerOfSend(errorOf(status, more), given)).toMatchObject({ outcome: 'failed', fault: { class: fault } });
});

test('the key of another order is for a person', () => {
  const answer = answerOfSend(errorOf(400, { type: 'idempotency_error' }), given);
  expect(answer).toMatchObject({ outcome: 'unknown', needsReview: 'key_reused' });
});

test.each<Heard<unknown>>([errorOf(500), errorOf(503, { isReplayed: true }), errorOf(404), { problem: 'timeout', status: null }])(
  'nobody knows what became of the order: %j',
  (heard) => {
    const answer = answerOfSend(heard, given);
    expect(answer).toMatchObject({ outcome: 'unknown', needsReview: null, fault: null });
    expect(answer).not.toHaveProperty('notTaken');
  },
);

test('without a connection nothing was sent', () => {
  expect(answerOfSend({ problem: 'connection_refused', status: null }, given)).toMatchObject({ notTaken: { retryAfterMs: 0 } });
});

test('a look-up finds none, the one, or too many; an error of it says nothing', () => {
  expect(answerOfLookUp(listOf(), given)).toMatchObject({ outcome: 'never_received' });
  expect(answerOfLookUp(listOf(transfer), given)).toMatchObject({ outcome: 'paid' });
  expect(answerOfLookUp(listOf(transfer, { ...transfer, id: 'tr_2' }), given)).toMatchObject({ needsReview: 'record_mismatch' });
  expect(answerOfLookUp(errorOf(403), given)).toMatchObject({ outcome: 'unknown', problem: 'http_403', fault: null });
  expect(answerOfLookUp({ value: {} }, given)).toMatchObject({ outcome: 'unknown', problem: 'body_unreadable' });
});

test.each([
  { amount: 999 },
  { currency: 'usd' },
  { destination: 'acct_2' },
  { transfer_group: 'payout-p1-2' },
  { metadata: { payoutId: 'p2' } },
])('a transfer that differs in %j is for a person', (other) => {
  expect(answerOfLookUp(listOf({ ...transfer, ...other }), given)).toMatchObject({ needsReview: 'record_mismatch' });
});

test('only a kept refusal of the account frees the order for another key', () => {
  const kept = (status: number, code: string | null) => isKeptRefusal(errorOf(status, { code, isReplayed: true }));
  expect([kept(400, 'balance_insufficient'), kept(400, 'transfers_not_allowed')]).toEqual([true, true]);
  expect(isKeptRefusal(errorOf(400, { code: 'balance_insufficient' }))).toBe(false);
  expect([kept(500, null), kept(400, 'account_closed'), kept(409, 'idempotency_key_in_use'), kept(400, 'x')]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([isKeptRefusal({ value: transfer }), isKeptRefusal({ problem: 'timeout', status: null })]).toEqual([false, false]);
});

test.each([
  [1_250, 'eur', 1_250],
  [7, 'jpy', 7],
  [7, 'isk', 700],
  [7, 'ugx', 700],
  [500, 'mga', 5],
  [5_120, 'kwd', 5_120],
])('%d %s are %d at Stripe, and back', (amountMinor, currency, stripe) => {
  expect(toStripeAmount(amountMinor, currency)).toBe(stripe);
  expect(fromStripeAmount(stripe, currency)).toBe(amountMinor);
});

const eventOf = (type: string, object: unknown) => ({ id: 'evt_1', object: 'event', type, created: 5, data: { object } });

test('events of transfers tell what became of them, and those of others are foreign', () => {
  const [paid] = (noticeOf(eventOf('transfer.created', transfer)) as { payments: object[] }).payments;
  expect(paid).toMatchObject({ externalId: 'evt_1', idempotencyKey: 'payout-p1-1', status: 'paid', railReference: 'tr_1' });
  expect(paid).toMatchObject({ record: { reference: 'p1', amountMinor: 1_000, currency: 'eur' }, occurredAt: new Date(5_000) });
  const back = { ...transfer, amount_reversed: 1_000, reversed: true };
  expect(noticeOf(eventOf('transfer.reversed', back))).toMatchObject({ payments: [{ status: 'returned' }] });
  const partly = { ...transfer, amount_reversed: 400 };
  expect(noticeOf(eventOf('transfer.reversed', partly))).toMatchObject({
    payments: [{ status: null, state: 'partially_reversed' }],
  });
  expect(noticeOf(eventOf('transfer.created', { ...transfer, metadata: {} }))).toMatchObject({ unread: 'foreign' });
  expect(noticeOf(eventOf('transfer.created', { ...transfer, transfer_group: null }))).toMatchObject({ unread: 'foreign' });
  expect(noticeOf(eventOf('charge.succeeded', {}))).toEqual({ payments: [] });
  expect(noticeOf(eventOf('transfer.created', {}))).toMatchObject({ unread: 'unreadable' });
  expect(noticeOf(null)).toMatchObject({ unread: 'unreadable' });
});

test('events of accounts name whom to look at, of both versions', () => {
  expect(noticeOf(eventOf('account.updated', { id: 'acct_1', object: 'account' }))).toEqual({ payee: 'acct_1' });
  const thin = { id: 'evt_2', object: 'v2.core.event', type: 'v2.core.account.closed' };
  expect(noticeOf({ ...thin, related_object: { id: 'acct_1', type: 'v2.core.account' } })).toEqual({ payee: 'acct_1' });
  expect(noticeOf({ ...thin, related_object: null })).toEqual({ payments: [] });
});
