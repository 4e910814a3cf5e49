import { paypalRail } from '../../../../src/domains/payouts/rails/paypal/paypal.ts';
import { itemAnswer } from '../../../../src/domains/payouts/rails/paypal/paypal-answers.ts';
import { readPayPalMoney, toPayPalValue } from '../../../../src/domains/payouts/rails/paypal/paypal-money.ts';
import { createReading, originalAnswer, unsentAnswer } from '../../../../src/domains/payouts/rails/paypal/paypal-refusals.ts';
import { attempt, BATCH_ID, batch, http, item, order } from './support.ts';

const create = (status: number, body: unknown, retryAfterMs = 0) => createReading(http(status, body, retryAfterMs), order, {});
const error = (name: string, details: object[] = []) => ({
  name,
  message: 'for people',
  debug_id: 'ca787bdf80d7a',
  details,
  links: [],
});

test('a batch that is taken is accepted, with its id', () => {
  const taken = create(201, batch({ batch_header: { batch_status: 'PENDING' } }));
  expect(taken).toMatchObject({
    outcome: 'accepted',
    railReference: BATCH_ID,
    references: { batch: BATCH_ID },
    state: 'PENDING',
  });
});

test.each<[string, number, unknown, object]>([
  ['201 without an id', 201, { batch_header: { batch_status: 'PENDING' } }, { problem: 'body_unreadable' }],
  [
    '201 of another',
    201,
    batch({ batch_header: { sender_batch_header: { sender_batch_id: 'x' } } }),
    { needsReview: 'record_mismatch' },
  ],
  ['500 INTERNAL_ERROR', 500, error('INTERNAL_ERROR'), { problem: 'http_500' }],
  ['503', 503, {}, { problem: 'http_503' }],
  ['504 REQUEST_TIMEOUT_EXCEEDED', 504, error('REQUEST_TIMEOUT_EXCEEDED'), { problem: 'http_504' }],
  ['409 PREVIOUS_REQUEST_IN_PROGRESS', 409, error('PREVIOUS_REQUEST_IN_PROGRESS'), { problem: 'http_409' }],
  ['400 PREVIOUS_REQUEST_IN_PROGRESS', 400, error('PREVIOUS_REQUEST_IN_PROGRESS'), { problem: 'http_400' }],
  ['422 REQUEST_TIMEOUT_EXCEEDED', 422, error('REQUEST_TIMEOUT_EXCEEDED'), { problem: 'http_422' }],
  ['a page of a proxy', 403, '<html>', { problem: 'http_403' }],
  ['an error of a proxy', 400, { message: 'no' }, { problem: 'http_400' }],
  ['404', 404, error('RESOURCE_NOT_FOUND'), { problem: 'http_404' }],
  ['unreadable', 201, 'OK', { problem: 'body_unreadable' }],
])('%s leaves the outcome unknown', (_what, status, body, expected) => {
  const answer = create(status, body);
  expect(answer).toMatchObject({ outcome: 'unknown', ...expected });
  expect(answer).not.toHaveProperty('notTaken');
});

test.each<[number, string, string]>([
  [401, 'AUTHENTICATION_FAILURE', 'account'],
  [403, 'SENDER_RESTRICTED', 'account'],
  [403, 'SENDER_EMAIL_UNCONFIRMED', 'account'],
  [403, 'AUTHORIZATION_ERROR', 'account'],
  [403, 'REQUIRED_SCOPE_MISSING', 'account'],
  [403, 'SENDER_LOCKED', 'account'],
  [403, 'CIP_NOT_VERIFIED', 'account'],
  [403, 'NAME_OF_TOMORROW', 'account'],
  [422, 'INSUFFICIENT_FUNDS', 'account'],
  [422, 'NAME_OF_TOMORROW', 'account'],
  [400, 'INSUFFICIENT_FUNDS', 'account'],
  [429, 'RATE_LIMIT_REACHED', 'provider'],
  [429, 'RATE_LIMIT_VALIDATION', 'provider'],
])('HTTP %i %s proves that nothing was taken, by a fault of class %s', (status, name, fault) => {
  const answer = create(status, error(name));
  const notTaken = { retryAfterMs: status === 429 ? 60_000 : 0 };
  expect(answer).toMatchObject({ outcome: 'unknown', problem: `http_${status}`, notTaken, fault: { class: fault, code: name } });
});

test('PayPal says how long it limits its caller', () => {
  expect(create(429, error('RATE_LIMIT_REACHED'), 7_000)).toMatchObject({ notTaken: { retryAfterMs: 7_000 } });
});

test.each<[number, object, string, string]>([
  [400, error('VALIDATION_ERROR', [{ field: 'items[0].receiver', issue: 'invalid' }]), 'payee', 'INVALID_EMAIL'],
  [400, error('VALIDATION_ERROR', [{ field: '/items/0/receiver', issue: 'invalid' }]), 'payee', 'INVALID_EMAIL'],
  [400, error('VALIDATION_ERROR', [{ field: 'items[0].amount', issue: 'invalid' }]), 'order', 'VALIDATION_ERROR'],
  [400, error('VALIDATION_ERROR'), 'order', 'VALIDATION_ERROR'],
  [400, error('INVALID_REQUEST'), 'order', 'INVALID_REQUEST'],
  [400, error('SYNC_MODE_NOT_APPLICABLE'), 'order', 'SYNC_MODE_NOT_APPLICABLE'],
  [400, error('NON_HOLDING_CURRENCY'), 'account', 'NON_HOLDING_CURRENCY'],
  [422, error('NON_HOLDING_CURRENCY'), 'account', 'NON_HOLDING_CURRENCY'],
  [422, error('RECEIVER_COUNTRY_NOT_ALLOWED'), 'payee', 'RECEIVER_COUNTRY_NOT_ALLOWED'],
  [400, error('NAME_OF_TOMORROW'), 'unclear', 'NAME_OF_TOMORROW'],
])('HTTP %i with %j failed by a fault of class %s', (status, body, fault, code) => {
  expect(create(status, body)).toMatchObject({ outcome: 'failed', fault: { class: fault, code } });
});

const duplicate = (link: unknown) =>
  error('USER_BUSINESS_ERROR', [{ field: 'SENDER_BATCH_ID', issue: 'Batch with given sender_batch_id already exists', link }]);

test.each<[string, unknown]>([
  ['a list of links', [{ href: `https://api-m.paypal.com/v1/payments/payouts/${BATCH_ID}`, rel: 'self' }]],
  ['one link', { href: `https://api.paypal.com/v1/payments/payouts/${BATCH_ID}` }],
  ['a link to a host of somebody else', [{ href: `https://evil.example/v1/payments/payouts/${BATCH_ID}` }]],
])('a duplicate names its original by the path of %s', (_what, link) => {
  expect(create(400, duplicate(link))).toEqual({ duplicateOf: BATCH_ID });
});

test.each<[string, object]>([
  ['without a link', duplicate(undefined)],
  ['with a link to something else', duplicate([{ href: 'https://api.paypal.com/v1/payments/payouts-item/X' }])],
  ['with a path that climbs', duplicate([{ href: 'https://api.paypal.com/v1/payments/payouts/..%2f..%2fx' }])],
  ['in its older form', { ...error('USER_BUSINESS_ERROR'), message: 'Duplicate batch request' }],
])('a duplicate %s needs a person', (_what, body) => {
  expect(create(400, body)).toMatchObject({ outcome: 'unknown', needsReview: 'key_reused' });
});

test('the original of a duplicate is ours in every field, or a person decides', () => {
  const original = (change = {}) => itemAnswer(http(200, item(change)), attempt, { request: {} });
  const as = (change?: object) => originalAnswer(original(change), { request: {}, batch: BATCH_ID });
  expect(as()).toMatchObject({ outcome: 'paid', response: { duplicateOf: BATCH_ID } });
  const other = { payout_item: { amount: { currency: 'EUR', value: '1.00' } } };
  expect(as(other)).toMatchObject({ outcome: 'unknown', needsReview: 'key_reused' });
  const lost = originalAnswer(itemAnswer(http(500, error('INTERNAL_ERROR')), attempt, { request: {} }), {
    request: {},
    batch: BATCH_ID,
  });
  expect(lost).toMatchObject({ outcome: 'unknown', needsReview: null, references: { batch: BATCH_ID } });
});

test.each<[string, number, unknown, object | null]>([
  ['refuses the credentials', 401, { error: 'invalid_client' }, { class: 'account', code: 'invalid_client' }],
  ['refuses the app', 400, { error: 'unauthorized_client' }, { class: 'account', code: 'unauthorized_client' }],
  ['is down', 503, 'down', null],
])('without a token nothing is sent: PayPal %s', (_what, status, body, fault) => {
  expect(unsentAnswer(http(status, body), {})).toMatchObject({ notTaken: { retryAfterMs: 0 }, response: { sent: false }, fault });
});

test.each<[number, string, string | null]>([
  [12_500, 'eur', '125.00'],
  [1, 'usd', '0.01'],
  [99, 'usd', '0.99'],
  [2_000_000, 'usd', '20000.00'],
  [15_000, 'huf', '150'],
  [15_050, 'huf', null],
  [1_000, 'jpy', '1000'],
  [100, 'twd', '1'],
  [150, 'twd', null],
  [-1, 'usd', null],
  [1.5, 'usd', null],
])('%d of %s is written as %s', (amountMinor, currency, value) => {
  expect(toPayPalValue({ amountMinor, currency })).toBe(value);
  if (value !== null) expect(readPayPalMoney(currency.toUpperCase(), value)).toEqual({ amountMinor, currency });
});

test.each<[string, string, number | null]>([
  ['USD', '190.0', 19_000],
  ['USD', '-0.25', -25],
  ['JPY', '1000.00', 1_000],
  ['JPY', '1000.50', null],
  ['USD', '1.005', null],
  ['USD', '1e3', null],
  ['USD', '', null],
  ['USD', '99999999999999999', null],
  ['US', '1.00', null],
])('%s %s is read as %p', (currency, value, amountMinor) => {
  expect(readPayPalMoney(currency, value)?.amountMinor ?? null).toBe(amountMinor);
});

const account = { environment: 'live', clientId: 'x'.repeat(20) } as const;

test.each<[object, string | null]>([
  [{}, null],
  [{ amountMinor: 2_000_000, currency: 'usd' }, null],
  [{ amountMinor: 2_000_001, currency: 'usd' }, 'above_limit'],
  [{ amountMinor: 100, currency: 'huf' }, null],
  [{ amountMinor: 150, currency: 'huf' }, 'decimals'],
  [{ amountMinor: 150, currency: 'twd' }, 'decimals'],
  [{ currency: 'inr' }, 'currency'],
  [{ details: { ...order.details, paypalEmail: `${'a'.repeat(120)}@example.com` } }, 'destination'],
  [{ details: { ...order.details, method: 'bank_transfer' } }, 'destination'],
  [{ details: { ...order.details, paypalEmail: null } }, 'destination'],
])('PayPal pays %j, or refuses: %p', (change, refusal) => {
  expect(paypalRail.canPay({ ...order, ...change }, account)).toBe(refusal);
});

test('an account may have limits of its own, and there is no payment without one', () => {
  const large = { ...order, amountMinor: 6_000_000, currency: 'usd' };
  expect(paypalRail.canPay(large, { ...account, itemLimit: { usd: 6_000_000 } })).toBeNull();
  expect(paypalRail.canPay(order, { ...account, itemLimit: { eur: 1_000 } })).toBe('above_limit');
  expect(paypalRail.canPay(order, null)).toBe('no_account');
});
