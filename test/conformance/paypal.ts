import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  BATCH_ITEM_TRIGGERS,
  BATCH_TRIGGERS,
  CANCEL_TRIGGERS,
  CREATE_TRIGGERS,
  ITEM_TRIGGERS,
} from '../../src/contracts/paypal-triggers.ts';
import { attemptKey } from '../../src/domains/payouts/payout-attempt.entity.ts';
import type { References } from '../../src/domains/payouts/rails/answer.ts';
import { createPayPalRail } from '../../src/domains/payouts/rails/paypal/paypal.ts';
import type { OnlineRail, TransferOrder } from '../../src/domains/payouts/rails/rail.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type PayPalDouble, startPayPalDouble } from '../support/rails/paypal-double.ts';
import { until } from '../support/until.ts';
import { type Exchanged, openJudge, type Verdict } from './judge.ts';

const ACCOUNT = 'conformance-client';

/** Passes everything on and shows it to the judge. `change` spoils answers, to prove that the judge sees it. */
const startProxy = async (target: string, see: (exchanged: Exchanged) => void, change: (body: string) => string) => {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = incoming;
    const { host: _host, connection: _connection, 'content-length': _length, ...kept } = headers;
    const init = { method, headers: kept as Record<string, string>, ...(request === '' ? {} : { body: request }) };
    const answer = await fetch(target + path, init);
    const body = change(await answer.text());
    see({ method, path, request, status: answer.status, response: body });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

const orderTo = (local: string, money = { amountMinor: 12_500, currency: 'eur' }): TransferOrder => {
  const reference = randomUUID();
  const details = {
    method: 'paypal',
    paypalEmail: `${local}@example.com`,
    bankIban: null,
    bankBic: null,
    bankAccountHolder: null,
  } as const;
  return { idempotencyKey: attemptKey(reference, 1), reference, ...money, details };
};

const LOCALS = [
  'ok',
  'unclaimed',
  'unconfirmed',
  'pending',
  'onhold',
  'blocked',
  'refunded',
  'reversed',
  'returned',
  'receiver-account-locked',
];

/** States in which the payments to `LOCALS` end: each occurs once. */
const ENDS = new Set(['SUCCESS', 'UNCLAIMED', 'PENDING', 'ONHOLD', 'BLOCKED', 'REFUNDED', 'REVERSED', 'RETURNED', 'FAILED']);

const untilStates = (double: PayPalDouble) =>
  until(
    'all payments have ended',
    async () => new Set((await double.items()).map((item) => item.transaction_status)),
    (states) => [...ENDS].every((state) => states.has(state)),
  );

/** Everything that the rail asks, and every answer that the double knows. The state that is in no list is left out. */
const converse = async (rail: OnlineRail, double: PayPalDouble, url: string): Promise<void> => {
  const orders = [...LOCALS.map((local) => orderTo(local)), orderTo('ok', { amountMinor: 15_000, currency: 'huf' })];
  const known = new Map<TransferOrder, References>();
  const attemptOf = (order: TransferOrder) => ({ ...order, railReference: null, references: known.get(order) ?? {} });
  for (const order of orders) known.set(order, (await rail.submit(order)).references);
  const ask = async () => {
    for (const order of orders) {
      const found = await rail.lookUp(attemptOf(order));
      if ('references' in found) known.set(order, { ...known.get(order), ...found.references });
    }
  };
  await ask();
  await untilStates(double);
  // The first names the item, the second reads it.
  await ask();
  await ask();
  for (const order of orders) await rail.submit(order);
  for (const order of orders) await rail.cancel?.(attemptOf(order));
  await double.changeAccount(ACCOUNT, { balances: { EUR: '0.00' } });
  const denied = orderTo('ok');
  known.set(denied, (await rail.submit(denied)).references);
  await until(
    'the last batch is denied',
    async () => (await double.items({ reference: denied.reference })).map((item) => item.transaction_status),
    ([state]) => state === 'FAILED',
  );
  await rail.lookUp(attemptOf(denied));
  await walkTriggers(url);
};

const walkTriggers = async (url: string): Promise<void> => {
  const basic = Buffer.from(`${ACCOUNT}:${ACCOUNT}-secret`).toString('base64');
  const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` };
  const token = await fetch(`${url}/v1/oauth2/token`, { method: 'POST', headers: form, body: 'grant_type=client_credentials' });
  const { access_token: value } = (await token.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${value}`, 'content-type': 'application/json' };
  const get = async (path: string) => (await fetch(url + path, { headers })).text();
  for (const id of [...Object.keys(BATCH_TRIGGERS), ...Object.keys(BATCH_ITEM_TRIGGERS)]) await get(`/v1/payments/payouts/${id}`);
  for (const id of Object.keys(ITEM_TRIGGERS)) await get(`/v1/payments/payouts-item/${id}`);
  for (const id of Object.keys(CANCEL_TRIGGERS))
    await (
      await fetch(`${url}/v1/payments/payouts-item/${id}/cancel`, {
        method: 'POST',
        headers: { authorization: headers.authorization },
      })
    ).text();
  for (const note of Object.keys(CREATE_TRIGGERS)) {
    const item = { recipient_type: 'EMAIL', receiver: 'a@example.com', amount: { currency: 'USD', value: '1.00' }, note };
    const body = JSON.stringify({ sender_batch_header: { sender_batch_id: randomUUID() }, items: [item] });
    await (await fetch(`${url}/v1/payments/payouts`, { method: 'POST', headers, body })).text();
  }
};

/** Returns verdicts by operation. With `plant`, the double gives a state that PayPal does not have. */
export const judgePayPal = async (file: string, { plant = false } = {}): Promise<ReadonlyMap<string, Verdict>> => {
  const judge = openJudge(file);
  const double = await startPayPalDouble();
  const change = (body: string) =>
    plant ? body.replaceAll('"transaction_status":"SUCCESS"', '"transaction_status":"PAID"') : body;
  const proxy = await startProxy(double.url, judge.judge, change);
  const account = double.accountOf(ACCOUNT);
  const rail = createPayPalRail({ account, clock: systemClock, noticeUrl: null, providerUrl: proxy.url });
  try {
    await converse(rail, double, proxy.url);
  } finally {
    await rail.close();
    proxy.close();
    await double.stop();
  }
  return judge.verdicts;
};
