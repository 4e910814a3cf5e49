import { type Answer, unknownAnswer } from '../../../../src/domains/payouts/rails/answer.ts';
import { storeRailAccount } from '../../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import type { Rails } from '../../../../src/domains/payouts/rails/rails.ts';
import { ENCRYPTED_COLUMNS } from '../../../../src/encrypted-columns.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../src/platform/clock.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { makeMerchant } from '../../../support/factories.ts';
import { payByRail, type RailPayout, rowsOf, useRailApi } from '../../../support/rail-payouts.ts';
import { FAKE_ACCOUNT, FAKE_ENTRY, fakeAccountRail } from '../../../support/rails/fake-account-rail.ts';
import { type FakeProvider, startFakeProvider } from '../../../support/rails/fake-provider.ts';
import { registerRail } from '../../../support/rails/register.ts';

const api = useRailApi({ asOwner: true });
let provider: FakeProvider;
let unregister: () => void;
let clients = 0;

beforeAll(async () => {
  provider = await startFakeProvider();
  unregister = registerRail(fakeAccountRail, FAKE_ENTRY);
  await rowsOf(api, 'insert into rail (name) values (?)', [FAKE_ACCOUNT]);
});
afterAll(async () => {
  unregister();
  await provider.close();
});

/** Time passes as the test says. */
const clocked = () => {
  let at = Date.now();
  const clock = { now: () => new Date(at) };
  const base = api.runtime.context({ kind: 'system', name: 'test' });
  const ctx = (): Context => ({ ...base, em: base.em.fork() as Context['em'], clock });
  return { ctx, pass: (ms: number) => (at += ms) };
};

/** A merchant with an account, and payouts that are paid from it. */
const start = async () => {
  const merchant = await makeMerchant(api.runtime);
  const { merchantId } = merchant;
  const { ctx, pass } = clocked();
  const store = (clientId: string, more: object = {}) =>
    storeRailAccount(ctx(), { merchantId, rail: FAKE_ACCOUNT, account: { ...provider.accountOf(clientId), ...more } });
  const pay = async (): Promise<RailPayout> => {
    const payout = await payByRail(api, { merchant, amount: 6_000 });
    await rowsOf(api, 'update payout set rail = ? where id = ?', [FAKE_ACCOUNT, payout.payoutId]);
    return payout;
  };
  const client = `client${++clients}`;
  const account = async () =>
    (await rowsOf(api, 'select * from rail_account where merchant_id = ? and is_current', [merchantId]))[0] ?? {};
  return { client, ctx, pass, store, pay, account, merchantId, ordersOf: (id: string) => ordersOf(id) };
};

/** Rails whose answers to a send arrive as the test says, after what it does meanwhile. */
const answering = (arrive: (answer: Answer) => Answer | Promise<Answer>): Rails => ({
  ...api.runtime.rails,
  open: (account) => {
    const rail = api.runtime.rails.open(account);
    return { ...rail, submit: async (order) => arrive(await rail.submit(order)) };
  },
});

const lost = (): Answer => unknownAnswer('timeout', { request: {}, response: {} });

const ordersOf = (clientId: string): number => provider.orders.filter((order) => order.clientId === clientId).length;

test('a fault of the account stops first sends, one attempt tries it after 15 minutes, 1 and 6 hours and then daily', async () => {
  const { client, ctx, pass, store, pay, account } = await start();
  await store(client);
  provider.refuse(client, 'NO_FUNDS');
  const [first, second] = [await pay(), await pay()];
  expect(await first.send(ctx())).toMatchObject({ status: 'processing', attemptOutcome: 'unknown', needsAttention: false });
  expect(await account()).toMatchObject({ status: 'failing', held_code: 'NO_FUNDS', probes: 0 });
  for (const waitMs of [15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS]) {
    const before = ordersOf(client);
    pass(waitMs - 1);
    expect(await second.send(ctx())).toMatchObject({ attempts: expect.any(Number) });
    expect(ordersOf(client)).toBe(before);
    pass(1);
    const probe = await pay();
    await Promise.all([probe.send(ctx()), (await pay()).send(ctx())]);
    expect(ordersOf(client)).toBe(before + 1);
  }
  expect((await second.load()).status).toBe('pending');
});

test('the account is free again once an attempt was taken, and those that waited are told', async () => {
  const { client, ctx, pass, store, pay, account } = await start();
  await store(client);
  provider.refuse(client, 'NO_FUNDS');
  const [first, waiting] = [await pay(), await pay()];
  await first.send(ctx());
  expect(await waiting.send(ctx())).toMatchObject({ status: 'pending', attempts: 0 });
  provider.refuse(client, null);
  pass(15 * MINUTE_MS);
  await rowsOf(api, 'delete from outbox where subject_id = ?', [waiting.payoutId]);
  expect(await (await pay()).send(ctx())).toMatchObject({ attemptOutcome: 'accepted' });
  expect(await account()).toMatchObject({ status: 'ready', held_code: null, probe_at: null });
  expect(await rowsOf(api, 'select topic from outbox where subject_id = ?', [waiting.payoutId])).toEqual([
    { topic: 'payout.changed' },
  ]);
  expect(await waiting.send(ctx())).toMatchObject({ attemptOutcome: 'accepted' });
  expect(await first.lookUp(ctx())).toMatchObject({ sendCount: 2, attemptOutcome: 'accepted' });
});

test('an order that was sent before the hold does not end it', async () => {
  const { client, ctx, pass, store, pay, account } = await start();
  await store(client);
  const [early, held] = [await pay(), await pay()];
  const late = answering(async (answer) => {
    pass(1);
    provider.refuse(client, 'NO_FUNDS');
    await held.send(ctx());
    return answer;
  });
  expect(await early.send(ctx(), late)).toMatchObject({ attemptOutcome: 'accepted' });
  expect(await account()).toMatchObject({ status: 'failing', held_code: 'NO_FUNDS' });
});

test('a look-up that finds an order which was sent during the hold ends it, and no other', async () => {
  const { client, ctx, pass, store, pay, account } = await start();
  await store(client);
  const [early, held, probe] = [await pay(), await pay(), await pay()];
  await early.send(ctx(), answering(lost));
  pass(1);
  provider.refuse(client, 'NO_FUNDS');
  await held.send(ctx());
  expect(await early.lookUp(ctx())).toMatchObject({ status: 'completed' });
  expect(await account()).toMatchObject({ status: 'failing', held_code: 'NO_FUNDS' });
  provider.refuse(client, null);
  pass(15 * MINUTE_MS);
  await probe.send(ctx(), answering(lost));
  expect(await account()).toMatchObject({ status: 'failing', held_code: 'NO_FUNDS' });
  expect(await probe.lookUp(ctx())).toMatchObject({ status: 'completed' });
  expect(await account()).toMatchObject({ status: 'ready', held_code: null });
});

test.each([
  ['PAYEE_CLOSED', null],
  ['BAD_AMOUNT', null],
  ['SANCTIONED', null],
  ['CODE_OF_TOMORROW', 'NO_FUNDS'],
])('the refusal %s of a probe leaves the hold at %s', async (code, heldCode) => {
  const { client, ctx, pass, store, pay, account } = await start();
  await store(client);
  provider.refuse(client, 'NO_FUNDS');
  await (await pay()).send(ctx());
  provider.refuse(client, code);
  pass(15 * MINUTE_MS);
  expect(await (await pay()).send(ctx())).toMatchObject({ status: 'failed', railReason: code });
  expect(await account()).toMatchObject({ held_code: heldCode });
});

test('a fault of the payee, of an order or of a permission that is not the account holds nothing', async () => {
  const { client, ctx, store, pay, account } = await start();
  await store(client);
  for (const code of ['PAYEE_CLOSED', 'BAD_AMOUNT', 'SANCTIONED', 'CODE_OF_TOMORROW']) {
    provider.refuse(client, code);
    expect(await (await pay()).send(ctx())).toMatchObject({ status: 'failed', railReason: code });
    expect(await account()).toMatchObject({ held_code: null });
  }
});

test('an attempt stays with the version that it was first sent with, and new ones take the current one', async () => {
  const { client, ctx, store, pay } = await start();
  const firstVersion = await store(client);
  const old = await pay();
  await old.send(ctx());
  const secondVersion = await store(`${client}b`);
  const young = await pay();
  await young.send(ctx());
  expect([(await old.attempt()).rail_account_id, (await young.attempt()).rail_account_id]).toEqual([firstVersion, secondVersion]);
  expect([ordersOf(client), ordersOf(`${client}b`)]).toEqual([1, 1]);
  expect(await old.lookUp(ctx())).toMatchObject({ status: 'completed' });
  expect((await old.attempt()).rail_references).toEqual({ item: expect.any(String), batch: expect.any(String) });
});

test('a new secret of the same account changes its version, ends the hold, and counts for attempts that are open', async () => {
  const { client, ctx, store, pay, account } = await start();
  const version = await store(client, { clientSecret: 'wrong' });
  const payout = await pay();
  expect(await payout.send(ctx())).toMatchObject({ attemptOutcome: 'unknown', needsAttention: false });
  expect(await account()).toMatchObject({ held_code: 'http_401' });
  expect(await store(client)).toBe(version);
  expect(await account()).toMatchObject({ id: version, revision: 2, status: 'unchecked', held_code: null });
  expect(await payout.lookUp(ctx())).toMatchObject({ attemptOutcome: 'unknown' });
});

test('a late answer to an order with the old secret does not hold the new one', async () => {
  const { client, ctx, pass, store, pay, account } = await start();
  await store(client, { clientSecret: 'wrong' });
  const late = answering(async (answer) => {
    pass(1);
    await store(client);
    return answer;
  });
  const payout = await pay();
  expect(await payout.send(ctx(), late)).toMatchObject({ attemptOutcome: 'unknown' });
  expect(await account()).toMatchObject({ revision: 2, status: 'unchecked', held_code: null });
});

test('secrets are stored encrypted, and not among the settings', async () => {
  const { client, store, account } = await start();
  await store(client);
  const stored = JSON.stringify(await account());
  expect(stored).not.toContain(`${client}-secret`);
  expect(stored).not.toContain(`${client}-hook`);
  expect((await account()).settings).toEqual({ url: provider.url, clientId: client });
  expect(ENCRYPTED_COLUMNS).toContainEqual({ table: 'rail_account', column: 'secrets', id: 'id', idType: 'uuid' });
});

test('without an account nothing is sent, and the payout waits until it is told of one', async () => {
  const { client, ctx, store, pay } = await start();
  const payout = await pay();
  expect(await payout.send(ctx())).toMatchObject({ status: 'pending', attempts: 0 });
  await rowsOf(api, 'delete from outbox where subject_id = ?', [payout.payoutId]);
  await store(client);
  expect(await rowsOf(api, 'select topic from outbox where subject_id = ?', [payout.payoutId])).toEqual([
    { topic: 'payout.changed' },
  ]);
});

test('the database knows the rails of this version, and takes no payout on another', async () => {
  const payout = await payByRail(api);
  const change = rowsOf(api, `update payout set rail = 'nowhere' where id = ?`, [payout.payoutId]);
  await expect(change).rejects.toThrow('payout_rail_fkey');
});
