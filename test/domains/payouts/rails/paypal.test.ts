import { attemptKey } from '../../../../src/domains/payouts/payout-attempt.entity.ts';
import type { References } from '../../../../src/domains/payouts/rails/answer.ts';
import { createPayPalRail, paypalRail } from '../../../../src/domains/payouts/rails/paypal/paypal.ts';
import { createPayPalCalls } from '../../../../src/domains/payouts/rails/paypal/paypal-calls.ts';
import { checkPayPal } from '../../../../src/domains/payouts/rails/paypal/paypal-check.ts';
import type { OnlineRail, TransferOrder, WalkedStep } from '../../../../src/domains/payouts/rails/rail.ts';
import { createRailHttp } from '../../../../src/domains/payouts/rails/rail-http.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { type NoticeReceiver, startNoticeReceiver } from '../../../support/rails/notice-receiver.ts';
import { type PayPalDouble, startPayPalDouble } from '../../../support/rails/paypal-double.ts';
import { until } from '../../../support/until.ts';
import { orderFor } from './support.ts';

let double: PayPalDouble;
let receiver: NoticeReceiver;
const opened: OnlineRail[] = [];

beforeAll(async () => {
  [double, receiver] = await Promise.all([startPayPalDouble(), startNoticeReceiver()]);
});
afterAll(async () => {
  await Promise.all(opened.map((rail) => rail.close()));
  await Promise.all([double.stop(), receiver.close()]);
});

let clients = 0;
const open = (change: Partial<{ noticeUrl: string | null; providerUrl: string }> = {}, client = `client-number-${++clients}`) => {
  const account = double.accountOf(client);
  const rail = createPayPalRail({ account, clock: systemClock, noticeUrl: receiver.url, providerUrl: double.url, ...change });
  opened.push(rail);
  return { rail, client };
};

const orderTo = (local: string): TransferOrder => {
  const order = orderFor(local);
  return { ...order, idempotencyKey: attemptKey(order.reference, 1) };
};

const attemptOf = (order: TransferOrder, references: References) => ({ ...order, railReference: null, references });

/** As the payee and PayPal leave it. */
const settled = async (rail: OnlineRail, order: TransferOrder, state: string) => {
  const { references } = await rail.submit(order);
  return until(
    `the item is ${state}`,
    async () => rail.lookUp(attemptOf(order, references)),
    (found) => 'state' in found && found.state === state,
  );
};

const namesOf = async (rail: OnlineRail) => (await rail.check())?.findings.map(({ name, isWarning }) => [name, isWarning]);

test('a check names each permission that is missing, and whether payouts need it', async () => {
  const { rail, client } = open();
  const [payouts, webhooks, search, balances] = [
    'payments/payouts',
    'services/applications/webhooks',
    'services/reporting/search/read',
    'services/reporting/balances/read',
  ].map((scope) => `https://uri.paypal.com/${scope}`) as [string, string, string, string];
  await double.changeAccount(client, { scopes: [payouts, webhooks, search, balances] });
  expect(await namesOf(rail)).toEqual([]);
  await double.changeAccount(client, { scopes: [webhooks, search, balances] });
  expect(await namesOf(rail)).toEqual([['payouts', false]]);
  await double.changeAccount(client, { scopes: [payouts, webhooks] });
  expect(await namesOf(rail)).toEqual([['transaction_search', true]]);
});

test('a check shows the balances, and makes one webhook however often it runs', async () => {
  const { rail, client } = open();
  await double.changeAccount(client, { balances: { USD: '12.34', JPY: '500' } });
  const [first, second] = [await rail.check(), await rail.check()];
  expect(first?.balances).toMatchObject({ usd: 1_234, jpy: 500 });
  expect(first?.learned).toEqual({ webhookId: expect.any(String) });
  expect(second?.learned).toEqual(first?.learned);
});

test.each([null, 'http://tributary.example.com/x', 'https://10.0.0.1/x', 'https://localhost/x', 'https://a.example.com:8443/x'])(
  'PayPal cannot notify %s, which is a warning',
  async (noticeUrl) => {
    const http = createRailHttp({ url: double.url, headers: {}, clock: systemClock });
    const calls = createPayPalCalls(http, double.accountOf('client-of-addresses'), systemClock);
    const check = await checkPayPal(calls, { noticeUrl, isAnyAddressTaken: false });
    expect(check?.findings).toEqual([{ name: 'webhook_address', isWarning: true }]);
    await http.close();
  },
);

test('a check that PayPal does not answer tells nothing', async () => {
  const { rail } = open({ providerUrl: 'http://127.0.0.1:9' });
  expect(await rail.check()).toBeNull();
  expect(await rail.submit(orderTo('ok'))).toMatchObject({ problem: 'connection_refused', notTaken: {}, fault: null });
});

test('an unclaimed payment is cancelled once, and one that was claimed is not', async () => {
  const { rail } = open();
  const order = orderTo('unclaimed');
  const found = await settled(rail, order, 'UNCLAIMED');
  const references = 'references' in found ? found.references : {};
  const fault = { class: 'order', code: 'CANCELLED' };
  expect(await rail.cancel?.(attemptOf(order, references))).toMatchObject({ outcome: 'failed', fault, state: 'RETURNED' });
  expect(await rail.cancel?.(attemptOf(order, references))).toMatchObject({ outcome: 'failed', fault });
  const paid = orderTo('ok');
  const sent = await rail.submit(paid);
  await settled(rail, paid, 'SUCCESS');
  expect(await rail.cancel?.(attemptOf(paid, sent.references))).toMatchObject({ outcome: 'paid' });
  expect(await rail.cancel?.(attemptOf(orderTo('ok'), {}))).toMatchObject({ outcome: 'unknown', problem: 'item_missing' });
});

test('an empty balance denies the batch, which fails for the account', async () => {
  const { rail, client } = open();
  await double.changeAccount(client, { balances: { EUR: '1.00' } });
  const order = orderTo('ok');
  const { references } = await rail.submit(order);
  const denied = await until(
    'the batch is denied',
    async () => rail.lookUp(attemptOf(order, references)),
    (found) => found.outcome === 'failed',
  );
  expect(denied).toMatchObject({ fault: { class: 'account', code: 'INSUFFICIENT_FUNDS' } });
});

test('nobody reads the batch of another account', async () => {
  const order = orderTo('ok');
  const { references } = await open().rail.submit(order);
  expect(await open().rail.lookUp(attemptOf(order, references))).toMatchObject({ outcome: 'unknown', problem: 'http_404' });
});

test('movements are listed with what came back, and the balance agrees with them', async () => {
  const { rail, client } = open();
  const before = Number((await double.balancesOf(client))['EUR'] ?? 1_000_000);
  await settled(rail, orderTo('ok'), 'SUCCESS');
  const refunded = orderTo('refunded');
  await settled(rail, refunded, 'REFUNDED');
  const { movements, next } = (await rail.list?.(new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000))) ?? {};
  expect(next).toBeNull();
  const told = movements?.map(({ kind, status, reference }) => [kind, status, reference === refunded.reference]) ?? [];
  expect(told.sort()).toEqual([
    ['payment', 'paid', false],
    ['payment', 'paid', true],
    ['return', 'returned', true],
  ]);
  expect(movements?.find(({ kind }) => kind === 'payment')).toMatchObject({ fee: { amountMinor: 25, currency: 'usd' } });
  const { eur } = (await rail.balances?.()) ?? {};
  expect(eur).toBe(before * 100 - 12_500);
});

test('the walk through the test values of the sandbox finds what is documented', async () => {
  const steps: WalkedStep[] = [];
  const tools = { clock: systemClock, noticeUrl: null, providerUrl: double.url };
  for await (const step of paypalRail.sandboxWalk(double.accountOf('client-of-the-walk'), tools)) steps.push(step);
  expect(steps.filter(({ ok }) => !ok)).toEqual([]);
  expect(steps.length).toBeGreaterThan(70);
});
