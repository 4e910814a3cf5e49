import type { OnlineRail, TransferOrder } from '../../../../src/domains/payouts/rails/rail.ts';
import type { Sandbox } from '../../../support/sandbox.ts';
import { startSandbox } from '../../../support/sandbox.ts';
import { pause } from '../../../support/until.ts';
import { orderFor, railOf, sent, untilOutcome } from './support.ts';

let sandbox: Sandbox;
let rail: OnlineRail;

beforeAll(async () => {
  sandbox = await startSandbox();
  rail = railOf(sandbox);
});

afterAll(async () => {
  await rail.close();
  await sandbox.stop();
});

const recordsOf = async (order: TransferOrder) =>
  (await sandbox.transfers()).filter((transfer) => transfer.reference === order.reference);

const expectPaidOnce = async (order: TransferOrder): Promise<void> => {
  const paid = { outcome: 'paid', railReference: expect.stringMatching(/^trf_/) };
  expect(await untilOutcome(rail, order, 'paid')).toMatchObject(paid);
  expect(await recordsOf(order)).toMatchObject([{ amount: 12_500, currency: 'eur', status: 'paid', executedCount: 1 }]);
};

test('ok, anything else, and a bank account: accepted, then paid', async () => {
  const bank = {
    method: 'bank_transfer',
    paypalEmail: null,
    bankIban: 'DE89 3704 0044 0532 0130 00',
    bankBic: null,
    bankAccountHolder: 'Ana',
  } as const;
  for (const order of [orderFor('ok'), orderFor('OK+tag'), orderFor('ana.b'), { ...orderFor(''), details: bank }]) {
    expect(await rail.submit(order)).toMatchObject({
      outcome: 'accepted',
      railReference: expect.stringMatching(/^trf_/),
      fault: null,
    });
    await expectPaidOnce(order);
  }
});

test.each([
  ['fail-definite', 'recipient_refused'],
  ['fail-closed', 'account_closed'],
  ['fail-odd-code', 'zz_code_nobody_has_seen'],
])('%s is a definite failure, on submission and on look-up', async (local, code) => {
  const order = orderFor(local);
  expect(await rail.submit(order)).toMatchObject({ outcome: 'failed', fault: { code } });
  expect(await rail.submit(order)).toMatchObject({ outcome: 'failed', fault: { code } });
  expect(await rail.lookUp(sent(order))).toMatchObject({ outcome: 'failed', fault: { code } });
  expect(await recordsOf(order)).toMatchObject([{ status: 'failed', executedCount: 0 }]);
});

test('a bank account that ends in 0000000009 is rejected', async () => {
  const details = {
    method: 'bank_transfer',
    paypalEmail: null,
    bankIban: 'DE89370400000000000009',
    bankBic: null,
    bankAccountHolder: 'Ana',
  } as const;
  expect(await rail.submit({ ...orderFor(''), details })).toMatchObject({
    outcome: 'failed',
    fault: { code: 'invalid_account' },
  });
});

test.each([
  ['unknown-paid', 'connection_lost'],
  ['fail-500-after', 'http_500'],
  ['broken-body', 'body_unreadable'],
  ['duplicate-id', 'http_409'],
  ['hang', 'timeout'],
  ['slow', 'timeout'],
])('%s: unknown, then found paid by a look-up, and executed once however often it is sent', async (local, problem) => {
  const order = orderFor(local);
  expect(await rail.submit(order)).toMatchObject({ outcome: 'unknown', problem, needsReview: null, railReference: null });
  await expectPaidOnce(order);
  expect(await rail.submit(order)).toMatchObject({ outcome: 'paid' });
  await expectPaidOnce(order);
});

test.each([
  ['unknown-unpaid', 'connection_lost'],
  ['reset', 'connection_lost'],
  ['fail-500-before', 'http_500'],
  ['limit-429', 'http_429'],
  ['hang-before', 'timeout'],
])('%s: unknown, never received, and the same key sent again is paid once', async (local, problem) => {
  const order = orderFor(local);
  expect(await rail.submit(order)).toMatchObject({ outcome: 'unknown', problem });
  expect(await rail.lookUp(sent(order))).toMatchObject({ outcome: 'never_received' });
  expect(await recordsOf(order)).toEqual([]);
  expect(await rail.submit(order)).toMatchObject({ outcome: 'accepted' });
  await expectPaidOnce(order);
});

test('with -always, failBefore applies to every send', async () => {
  const order = orderFor('unknown-unpaid-always');
  for (const _send of [1, 2, 3]) expect(await rail.submit(order)).toMatchObject({ outcome: 'unknown' });
  expect(await rail.lookUp(sent(order))).toMatchObject({ outcome: 'never_received' });
});

test('executed long after a look-up found nothing: the same key sent in between is still paid once', async () => {
  const order = orderFor('slow-before');
  expect(await rail.submit(order)).toMatchObject({ outcome: 'unknown', problem: 'timeout' });
  expect(await rail.lookUp(sent(order))).toMatchObject({ outcome: 'never_received' });
  await Promise.all([rail.submit(order), rail.submit(order)]);
  await expectPaidOnce(order);
});

test('twenty simultaneous sends of one key execute once', async () => {
  const order = orderFor('ok');
  const results = await Promise.all(Array.from({ length: 20 }, () => rail.submit(order)));
  expect(new Set(results.map(({ railReference }) => railReference)).size).toBe(1);
  await expectPaidOnce(order);
});

test('one key with another body executes nothing and requires a manual review', async () => {
  const order = orderFor('ok');
  await rail.submit(order);
  const changed = await rail.submit({ ...order, amountMinor: 99_900 });
  expect(changed).toMatchObject({ outcome: 'unknown', problem: 'key_reused', needsReview: expect.any(String) });
  await expectPaidOnce(order);
});

test('fail-later is accepted and then fails; returned is paid and then returned', async () => {
  const [later, returned] = [orderFor('fail-later'), orderFor('returned')];
  for (const order of [later, returned]) expect(await rail.submit(order)).toMatchObject({ outcome: 'accepted' });
  expect(await untilOutcome(rail, later, 'failed')).toMatchObject({ fault: { class: 'payee', code: 'account_closed' } });
  expect(await untilOutcome(rail, returned, 'returned')).toMatchObject({
    fault: { class: 'unclear', code: 'recipient_unreachable' },
  });
});

test('accepted-only is paid once it is looked up', async () => {
  const order = orderFor('accepted-only');
  expect(await rail.submit(order)).toMatchObject({ outcome: 'accepted' });
  await pause(150, 'others are paid by then');
  expect(await recordsOf(order)).toMatchObject([{ status: 'accepted' }]);
  expect(await rail.lookUp(sent(order))).toMatchObject({ outcome: 'paid' });
});

test('only the receivers of the list name an address or account: no log, and no stored request or response does', async () => {
  const order = orderFor('ok+very-private');
  const result = await rail.submit(order);
  const listed = await sandbox.transfers();
  expect(listed.find(({ reference }) => reference === order.reference)).toMatchObject({
    receiver: 'ok+very-private@example.com',
  });
  const others = listed.map((transfer) => ({ ...transfer, receiver: null }));
  const output = JSON.stringify([result, await rail.lookUp(sent(order)), others]) + sandbox.output();
  expect(output).not.toMatch(/example\.com|very-private|DE8937|Ana/);
});

test('the list is paged and requires the API key', async () => {
  for (const order of [orderFor('ok'), orderFor('ok'), orderFor('ok')]) await rail.submit(order);
  const get = async (query: string, apiKey = sandbox.apiKey) => {
    const response = await fetch(`${sandbox.url}/v1/transfers${query}`, { headers: { authorization: `Bearer ${apiKey}` } });
    return { status: response.status, body: (await response.json()) as { transfers: { id: string }[]; next: string } };
  };
  const all = await sandbox.transfers();
  const first = await get('?limit=2');
  expect(first.body.transfers.map(({ id }) => id)).toEqual(all.slice(0, 2).map(({ id }) => id));
  const second = await get(`?limit=2&after=${first.body.next}`);
  expect(second.body.transfers.map(({ id }) => id)).toEqual(all.slice(2, 4).map(({ id }) => id));
  expect((await get('?limit=2', 'wrong-key')).status).toBe(401);
  expect((await get('?after=trf_nobody')).status).toBe(404);
});

test.each([
  ['fee', 'paid', { fees: [{ amountMinor: 25, currency: 'eur' }] }],
  ['fee-returned', 'returned', { fees: [{ amountMinor: 25, currency: 'eur', returnedMinor: 25 }] }],
  ['fee-kept', 'returned', { fees: [{ amountMinor: 25, currency: 'eur' }] }],
  ['ok', 'paid', {}],
] as const)('%s: the provider reports what the payment cost', async (local, outcome, fees) => {
  const order = orderFor(local);
  await rail.submit(order);
  const { reference, amountMinor, currency } = order;
  const record = { reference, amountMinor, currency, ...fees };
  expect(await untilOutcome(rail, order, outcome)).toMatchObject({ word: { record } });
});
