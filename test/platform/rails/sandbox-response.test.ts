import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OnlineRail } from '../../../src/domains/payouts/rails/rail.ts';
import { createSandboxRail } from '../../../src/domains/payouts/rails/sandbox.ts';
import { systemClock } from '../../../src/platform/clock.ts';

const order = {
  idempotencyKey: 'payout/1',
  reference: 'payout',
  amountMinor: 12_500,
  currency: 'eur',
  details: {
    method: 'bank_transfer',
    bankIban: 'DE89 3704 0044 0532 0130 00',
    bankBic: null,
    bankAccountHolder: 'Ana',
    paypalEmail: null,
  },
} as const;
const { details: _details, ...sentFields } = order;
const sentAttempt = { ...sentFields, railReference: null, references: {}, details: order.details };
const record = {
  id: 'trf_1',
  idempotencyKey: 'payout/1',
  reference: 'payout',
  amount: 12_500,
  currency: 'eur',
  status: 'paid',
  failureCode: null,
};

let provider: Server;
let rail: OnlineRail;
let asked: { url: string | undefined; body: string; headers: NodeJS.Dict<string | string[]> }[] = [];
let answer: (response: ServerResponse) => void = () => undefined;

beforeAll(async () => {
  provider = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked.push({ url: request.url, body, headers: request.headers });
    answer(response);
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  rail = createSandboxRail({
    url,
    apiKey: 'key',
    notificationSecret: 'whsec_',
    clock: systemClock,
    submitDeadlineMs: 1_000,
    lookUpDeadlineMs: 1_000,
  });
});

afterAll(async () => {
  await rail.close();
  provider.closeAllConnections();
  provider.close();
});

beforeEach(() => {
  asked = [];
});

const respondWith = (status: number, body: unknown, headers = {}) => {
  answer = (response) => void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
};

test('an order is sent under its key, and only ids, amounts and last four characters are stored', async () => {
  respondWith(201, record);
  const result = await rail.submit(order);
  expect(result).toMatchObject({ outcome: 'paid', railReference: 'trf_1', problem: null, needsReview: null });
  expect(asked[0]?.headers).toMatchObject({ 'idempotency-key': 'payout/1', authorization: 'Bearer key' });
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
    reference: 'payout',
    amount: 12_500,
    currency: 'eur',
    recipient: { type: 'bank_account', iban: 'DE89370400440532013000', holder: 'Ana' },
  });
  expect(result.request).toEqual({
    idempotencyKey: 'payout/1',
    reference: 'payout',
    amountMinor: 12_500,
    currency: 'eur',
    recipientType: 'bank_transfer',
    lastFour: '3000',
  });
  expect(result.response).toEqual({ http: 201, id: 'trf_1', status: 'paid', failureCode: null });
});

test('incomplete payout details fail without a request to the provider', async () => {
  const details = { ...order.details, method: 'paypal' } as const;
  expect(await rail.submit({ ...order, details })).toMatchObject({ outcome: 'failed', fault: { code: 'invalid_details' } });
  expect(asked).toEqual([]);
});

test.each([400, 402, 422])('%i with the documented body is a definite failure', async (status) => {
  respondWith(status, { error: { code: 'account_closed', message: 'Ana has closed her account' } });
  const result = await rail.submit(order);
  expect(result).toMatchObject({ outcome: 'failed', fault: { class: 'payee', code: 'account_closed' }, problem: null });
  expect(JSON.stringify(result)).not.toContain('Ana');
});

test('an unknown code is kept, free text in its place is not', async () => {
  respondWith(422, { error: { code: 'ZZ-99' } });
  expect(await rail.submit(order)).toMatchObject({ outcome: 'failed', fault: { class: 'unclear', code: 'ZZ-99' } });
  respondWith(422, { error: { code: 'ana@example.com is closed' } });
  expect(await rail.submit(order)).toMatchObject({ outcome: 'failed', fault: { code: 'unreadable_code' } });
});

test.each([
  [422, 'not json', 'http_422'],
  [422, { message: 'no' }, 'http_422'],
  [401, { error: { code: 'unauthorized' } }, 'http_401'],
  [403, { error: { code: 'forbidden' } }, 'http_403'],
  [404, { error: { code: 'not_found' } }, 'http_404'],
  [409, { error: { code: 'duplicate_request' } }, 'http_409'],
  [429, { error: { code: 'rate_limited' } }, 'http_429'],
  [500, { error: { code: 'internal_error' } }, 'http_500'],
  [503, '<html>', 'http_503'],
  [302, '', 'http_302'],
  [200, '', 'body_unreadable'],
  [200, '{"id":"trf_1"', 'body_unreadable'],
  [200, { id: 'trf_1' }, 'body_unreadable'],
  [200, 'null', 'body_unreadable'],
  [200, 'x'.repeat(70_000), 'body_too_large'],
])('%i %j leaves the outcome unknown: %s', async (status, body, problem) => {
  respondWith(status, body, { location: '/elsewhere' });
  expect(await rail.submit(order)).toMatchObject({ outcome: 'unknown', problem, needsReview: null, railReference: null });
  expect(await rail.lookUp(sentAttempt)).toMatchObject({ outcome: 'unknown', problem });
  expect(asked).toHaveLength(2);
});

test.each([
  ['a reused key', 409, { error: { code: 'idempotency_key_reused' } }, 'key_reused'],
  ['another amount', 200, { ...record, amount: 1 }, 'record_mismatch'],
  ['another currency', 200, { ...record, currency: 'usd' }, 'record_mismatch'],
  ['another key', 200, { ...record, idempotencyKey: 'payout/2' }, 'record_mismatch'],
  ['a status we do not know', 200, { ...record, status: 'held' }, 'status_unknown'],
])('%s leaves the outcome unknown and requires a manual review', async (_what, status, body, problem) => {
  respondWith(status, body);
  expect(await rail.submit(order)).toMatchObject({ outcome: 'unknown', problem, needsReview: problem });
});

test('a look-up accepts "never received" only from the provider itself', async () => {
  respondWith(404, { error: { code: 'transfer_not_found' } });
  expect(await rail.lookUp(sentAttempt)).toMatchObject({ outcome: 'never_received' });
  expect(asked[0]?.url).toBe('/v1/transfers/by-key/payout%2F1');
  for (const body of ['<html>404</html>', { error: { code: 'route_not_found' } }, {}]) {
    respondWith(404, body);
    expect(await rail.lookUp(sentAttempt)).toMatchObject({ outcome: 'unknown', problem: 'http_404' });
  }
});

test('a look-up returns a failure with its code', async () => {
  respondWith(200, { ...record, status: 'failed', failureCode: 'account_closed' });
  expect(await rail.lookUp(sentAttempt)).toMatchObject({
    outcome: 'failed',
    fault: { class: 'payee', code: 'account_closed' },
    railReference: 'trf_1',
  });
});

test('a slow body is aborted at the deadline', async () => {
  answer = (response) => {
    response.writeHead(200).write('{"id":');
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  };
  expect(await rail.submit(order)).toMatchObject({ outcome: 'unknown', problem: 'timeout' });
});

test('an unreachable provider leaves the outcome unknown', async () => {
  const nowhere = createSandboxRail({
    url: 'http://127.0.0.1:9',
    apiKey: 'key',
    notificationSecret: 'whsec_',
    clock: systemClock,
  });
  expect(await nowhere.submit(order)).toMatchObject({
    outcome: 'unknown',
    problem: 'connection_refused',
    response: { http: null },
  });
  await nowhere.close();
});
