import { PAYPAL_FAULTS } from '../../../../src/contracts/paypal-faults.ts';
import { batchReading, itemAnswer } from '../../../../src/domains/payouts/rails/paypal/paypal-answers.ts';
import { attempt, BATCH_ID, batch, http, ITEM_ID, item, TRANSACTION_ID } from './support.ts';

const read = (change: Parameters<typeof item>[0] = {}, context = {}) =>
  itemAnswer(http(200, item(change)), attempt, { request: { item: ITEM_ID }, ...context });

test.each<[string, object]>([
  ['SUCCESS', { outcome: 'paid', fault: null }],
  ['PENDING', { outcome: 'accepted', fault: null }],
  ['ONHOLD', { outcome: 'accepted', fault: null }],
  ['UNCLAIMED', { outcome: 'accepted', fault: null }],
  ['FAILED', { outcome: 'failed', fault: { class: 'unclear', code: 'FAILED' } }],
  ['BLOCKED', { outcome: 'unknown', needsReview: 'blocked' }],
  ['RETURNED', { outcome: 'returned', wasNeverPaid: true, fault: { class: 'payee', code: 'UNCLAIMED' } }],
  ['REFUNDED', { outcome: 'returned', fault: { class: 'unclear', code: 'REFUNDED' } }],
  ['REVERSED', { outcome: 'returned', fault: { class: 'unclear', code: 'REVERSED' } }],
  ['DENIED', { outcome: 'unknown', needsReview: 'status_unknown' }],
  ['STATE_OF_TOMORROW', { outcome: 'unknown', needsReview: 'status_unknown' }],
])('an item in the state %s', (transaction_status, expected) => {
  const answer = read({ transaction_status });
  expect(answer).toMatchObject({ state: transaction_status, ...expected });
  expect(answer.references).toEqual({ batch: BATCH_ID, item: ITEM_ID, transaction: TRANSACTION_ID });
  expect(answer.wasNeverPaid).toBe(transaction_status === 'RETURNED' ? true : undefined);
});

test.each([
  ['RECEIVER_ACCOUNT_LOCKED', 'payee'],
  ['RECEIVER_REFUSED', 'payee'],
  ['RECEIVER_COUNTRY_NOT_ALLOWED', 'payee'],
  ['INVALID_EMAIL', 'payee'],
  ['INVALID_EMAIL_ID', 'payee'],
  ['RECEIVER_STATE_RESTRICTED', 'payee'],
  ['CLOSED_MARKET', 'payee'],
  ['SELF_PAY_NOT_ALLOWED', 'payee'],
  ['RECEIVING_LIMIT_EXCEEDED', 'payee'],
  ['CURRENCY_NOT_SUPPORTED_FOR_RECEIVER', 'payee'],
  ['RECEIVER_UNREGISTERED', 'payee'],
  ['RECEIVER_UNCONFIRMED', 'payee'],
  ['RECEIVER_YOUTH_ACCOUNT', 'payee'],
  ['UNVERIFIED_RECIPIENT_NOT_SUPPORTED', 'payee'],
  ['RECEIVER_ACCOUNT_INVALID', 'payee'],
  ['RECEIVER_ACCOUNT_LIMITATION', 'payee'],
  ['GAMER_FAILED_COUNTRY_OF_RESIDENCE_CHECK', 'payee'],
  ['GAMER_FAILED_FUNDING_SOURCE_CHECK', 'payee'],
  ['INSUFFICIENT_FUNDS', 'account'],
  ['USER_COUNTRY_NOT_ALLOWED', 'account'],
  ['USER_FUNDING_SOURCE_INELIGIBLE', 'account'],
  ['SENDER_ACCOUNT_LOCKED', 'account'],
  ['SENDER_ACCOUNT_UNVERIFIED', 'account'],
  ['SPENDING_LIMIT_EXCEEDED', 'account'],
  ['ACCOUNT_RESTRICTED', 'account'],
  ['NEGATIVE_BALANCE', 'account'],
  ['REFUSED_ACTION_DENIED', 'account'],
  ['SENDER_STATE_RESTRICTED', 'account'],
  ['ACCOUNT_UNCONFIRMED_EMAIL', 'account'],
  ['TRANSACTION_LIMIT_EXCEEDED', 'account'],
  ['POS_LIMIT_EXCEEDED', 'account'],
  ['NON_HOLDING_CURRENCY', 'account'],
  ['APPROVER_DENIED', 'account'],
  ['AUTHORIZATION_ERROR', 'account'],
  ['REQUIRED_SCOPE_MISSING', 'account'],
  ['CIP_NOT_VERIFIED', 'account'],
  ['RISK_DECLINE', 'compliance'],
  ['CURRENCY_COMPLIANCE', 'compliance'],
  ['REGULATORY_PENDING', 'compliance'],
  ['REGULATORY_BLOCKED', 'compliance'],
  ['TRANSACTION_DECLINED_BY_TRAVEL_RULE', 'compliance'],
  ['ZERO_AMOUNT', 'order'],
  ['DUPLICATE_ITEM', 'order'],
  ['ITEM_INCORRECT_STATUS', 'order'],
  ['SYNC_MODE_NOT_APPLICABLE', 'order'],
  ['VALIDATION_ERROR', 'order'],
  ['INTERNAL_ERROR', 'provider'],
  ['UNDEFINED', 'unclear'],
  ['REASON_OF_TOMORROW', 'unclear'],
])('a failed item with %s is a fault of class %s', (name, fault) => {
  const answer = read({ transaction_status: 'FAILED', errors: { name, message: 'for people', details: [] } });
  expect(answer).toMatchObject({ outcome: 'failed', fault: { class: fault, code: name } });
});

test('a payee who has to choose a currency is waited for, whatever the state is called', () => {
  const errors = { name: 'PENDING_RECIPIENT_NON_HOLDING_CURRENCY_PAYMENT_PREFERENCE' };
  for (const transaction_status of ['PENDING', 'FAILED'])
    expect(read({ transaction_status, errors })).toMatchObject({ outcome: 'accepted', state: 'PENDING', fault: null });
});

test('errors of an unclaimed item are no failure', () => {
  const unclaimed = read({ transaction_status: 'UNCLAIMED', errors: { name: 'RECEIVER_UNREGISTERED' } });
  expect(unclaimed).toMatchObject({ outcome: 'accepted', fault: null, word: { reason: 'RECEIVER_UNREGISTERED' } });
});

test('a return that we asked for is the fault of nobody', () => {
  const cancelled = read({ transaction_status: 'RETURNED', errors: { name: 'RECEIVER_UNREGISTERED' } }, { isCancelled: true });
  expect(cancelled).toMatchObject({ outcome: 'failed', fault: { class: 'order', code: 'CANCELLED' } });
});

test.each<[string, Parameters<typeof item>[0]]>([
  ['amount', { payout_item: { amount: { currency: 'EUR', value: '125.01' } } }],
  ['currency', { payout_item: { amount: { currency: 'USD', value: '125.00' } } }],
  ['payout', { payout_item: { sender_item_id: 'another' } }],
  ['payee', { payout_item: { receiver: 'another@example.com' } }],
  ['key', { sender_batch_id: 'payout-of-another' }],
  ['ids at all', { sender_batch_id: undefined, payout_item: { sender_item_id: undefined } }],
  ['transaction of a payment', { transaction_id: undefined }],
])('a record with another %s is not an outcome', (_what, change) => {
  expect(read(change)).toMatchObject({ outcome: 'unknown', needsReview: 'record_mismatch' });
});

test('addresses agree whatever their case, and are not compared once ours is erased', () => {
  expect(read({ payout_item: { receiver: ' Ada@Example.COM' } }).outcome).toBe('paid');
  const erased = itemAnswer(http(200, item()), { ...attempt, details: null }, { request: {} });
  expect(erased.outcome).toBe('paid');
});

test('a fee counts in its own currency once it is final, and a conversion is told', () => {
  const fee = { payout_item_fee: { currency: 'USD', value: '0.25' } };
  expect(read(fee).word?.record).toMatchObject({ fees: [{ amountMinor: 25, currency: 'usd' }] });
  for (const transaction_status of ['PENDING', 'UNCLAIMED', 'RETURNED'])
    expect(read({ ...fee, transaction_status }).word?.record).not.toHaveProperty('fee');
  const to_amount = { currency: 'JPY', value: '20100' };
  const converted = read({ currency_conversion: { from_amount: { currency: 'EUR', value: '125.00' }, to_amount } });
  expect(converted.word?.record?.conversion).toEqual({ amountMinor: 20_100, currency: 'jpy' });
  expect(read({ payout_item_fee: { currency: 'USD', value: 'free' } })).toMatchObject({ outcome: 'paid' });
});

test.each<[string, number, object | null, object]>([
  ['not found', 404, { name: 'INVALID_RESOURCE_ID', message: '', debug_id: 'd' }, { problem: 'http_404', fault: null }],
  [
    'a refused account',
    403,
    { name: 'NOT_AUTHORIZED' },
    { problem: 'http_403', fault: { class: 'account', code: 'NOT_AUTHORIZED' } },
  ],
  [
    'a refused token',
    401,
    { error: 'invalid_token' },
    { problem: 'http_401', fault: { class: 'account', code: 'invalid_token' } },
  ],
  ['a limit', 429, { name: 'RATE_LIMIT_REACHED' }, { problem: 'http_429', fault: null }],
  ['an error', 500, { name: 'INTERNAL_ERROR' }, { problem: 'http_500', fault: null }],
  ['no item', 200, { payout_item_id: 'x' }, { problem: 'body_unreadable' }],
  ['an id that is a path', 200, item({ payout_item_id: '../../x' }), { problem: 'body_unreadable' }],
])('a read with %s leaves the outcome unknown', (_what, status, body, expected) => {
  const answer = itemAnswer(http(status, body), attempt, { request: {} });
  expect(answer).toMatchObject({ outcome: 'unknown', needsReview: null, ...expected });
});

const readBatch = (change: Parameters<typeof batch>[0] = {}) => batchReading(http(200, batch(change)), attempt, {});

test.each<[string, object]>([
  ['PENDING', { answer: { outcome: 'accepted', state: 'PENDING', railReference: BATCH_ID } }],
  ['PROCESSING', { answer: { outcome: 'accepted', state: 'PROCESSING' } }],
  ['SUCCESS', { item: ITEM_ID }],
  ['DENIED', { item: ITEM_ID, denied: { class: 'account', code: 'BATCH_DENIED' } }],
  ['CANCELED', { answer: { outcome: 'unknown', needsReview: 'status_unknown' } }],
  ['STATE_OF_TOMORROW', { answer: { outcome: 'unknown', needsReview: 'status_unknown' } }],
])('a batch in the state %s', (batch_status, expected) => {
  expect(readBatch({ batch_header: { batch_status } })).toMatchObject(expected);
});

test('a denied batch without an item failed for the reason of the batch', () => {
  const denied = { batch_status: 'DENIED', errors: { name: 'ACCOUNT_RESTRICTED' } };
  const fault = { class: 'account', code: 'ACCOUNT_RESTRICTED' };
  expect(readBatch({ batch_header: denied, items: [] })).toMatchObject({ answer: { outcome: 'failed', fault } });
});

test('an item of a denied batch failed for its own reason, else for that of the batch', () => {
  const denied = { class: 'account', code: 'BATCH_DENIED' } as const;
  const inDenied = (change: Parameters<typeof item>[0]) => read(change, { denied });
  for (const transaction_status of ['DENIED', 'FAILED', 'PENDING', undefined])
    expect(inDenied({ transaction_status })).toMatchObject({ outcome: 'failed', fault: denied });
  const errors = { name: 'RECEIVER_ACCOUNT_LOCKED' };
  expect(inDenied({ transaction_status: 'FAILED', errors }).fault?.class).toBe('payee');
  expect(inDenied({ transaction_status: 'BLOCKED' })).toMatchObject({ needsReview: 'blocked' });
  expect(inDenied({ transaction_status: 'SUCCESS' }).outcome).toBe('paid');
});

test('a batch of others, or with several items, is not ours', () => {
  const mismatch = { answer: { outcome: 'unknown', needsReview: 'record_mismatch' } };
  expect(readBatch({ batch_header: { sender_batch_header: { sender_batch_id: 'invoice-7' } } })).toMatchObject(mismatch);
  expect(readBatch({ total_items: 2 })).toMatchObject(mismatch);
  expect(readBatch({ items: [{ payout_item_id: 'A' }, { payout_item_id: 'B' }] })).toMatchObject(mismatch);
});

test('a finished batch without its item leaves the outcome unknown', () => {
  expect(readBatch({ items: [] })).toMatchObject({ answer: { outcome: 'unknown', problem: 'item_missing' } });
});

test('nothing that is stored names the payee', () => {
  const answers = [read(), read({ transaction_status: 'FAILED', errors: { name: 'ada@example.com is locked' } })];
  expect(JSON.stringify(answers)).not.toContain('example.com');
  expect(PAYPAL_FAULTS.get('unclaimed')).toBe('payee');
});
