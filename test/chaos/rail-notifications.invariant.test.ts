import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateSigningSecret } from '../../src/platform/crypto/standard-webhooks.ts';
import { makePayable, unique } from '../support/factories.ts';
import { signedNotification } from '../support/notification-receiver.ts';
import type { SandboxTransfer } from '../support/sandbox.ts';
import { openTestSystem, type TestSystem, useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { audit, untilSettled } from './support/settled.ts';

/** D3: provider notifications that are repeated, out of order, forged or days late. */
const DAY_MS = 86_400_000;
const NEVER = 3_600_000;
const PATH = '/api/integrations/rails/sandbox';

const system = useTestSystem();
/** Never looks a payment up: only notifications change its payouts. */
const passive = useTestSystem({ timing: { lookUpMs: NEVER, lookUpMaxMs: NEVER, remindAfterMs: [] } });
/** A payout that the test reported as returned, and the provider knows as paid. */
let returned: string;

const payTo = async (on: TestSystem, local: string) => {
  const { key, affiliateId, programId } = await makePayable(on, { local: `${local}+${unique()}` });
  const created = await on.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const id: string = created.data.id;
  const payout = async () => (await on.call('GET', `/payouts/${id}`, { key })).data;
  const timeline = async () => (await on.call('GET', `/payouts/${id}/timeline`, { key })).data as { to: string }[];
  const ends = (status: string) => until(`the payout is ${status}`, payout, (current) => current.status === status);
  const transfer = async (): Promise<SandboxTransfer> => {
    const [found] = await until(
      'the provider has the transfer',
      async () => (await on.sandbox.transfers()).filter((each) => each.reference === id),
      (transfers) => transfers.length > 0,
    );
    if (!found) throw new Error('no transfer');
    return found;
  };
  return { id, key, payout, timeline, ends, transfer };
};

const notify = async (
  on: TestSystem,
  transfer: SandboxTransfer,
  status: string,
  more: Partial<Parameters<typeof signedNotification>[0]> = {},
) => {
  const { idempotencyKey, id: transferId, reference, amount, currency } = transfer;
  const id = `ntc_${unique()}`;
  const at = { now: new Date(), occurredAt: new Date() };
  const { headers, body } = signedNotification({
    secret: on.sandbox.notificationSecret,
    id,
    type: `transfer.${status}`,
    idempotencyKey,
    transferId,
    record: { reference, amount, currency },
    ...at,
    ...more,
  });
  return on.raw('POST', PATH, { headers, body });
};

const entered = (timeline: { to: string }[]) => timeline.map((entry) => entry.to).filter(Boolean);

it.each(['notifications-twice', 'notifications-reversed'])('%s: one effect', async (local) => {
  const { ends, timeline } = await payTo(passive, local);
  await ends('completed');
  await untilSettled(passive.runtime);
  expect(entered(await timeline())).toEqual(['pending', 'processing', 'completed']);
});

it('one notification thirty times at once: one effect', async () => {
  const { ends, timeline, transfer } = await payTo(passive, 'notifications-off');
  const known = await transfer();
  const id = `ntc_${unique()}`;
  const responses = await Promise.all(Array.from({ length: 30 }, () => notify(passive, known, 'paid', { id })));
  const outcomes = responses.map((response) => response.data?.outcome ?? response.status);
  expect(outcomes.filter((outcome) => outcome === 'recorded')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(29);
  await ends('completed');
  expect(entered(await timeline())).toEqual(['pending', 'processing', 'completed']);
});

it('returned before paid before accepted: ends as returned, after every status in between', async () => {
  const { ends, timeline, transfer, payout } = await payTo(passive, 'notifications-off');
  const known = await transfer();
  for (const status of ['returned', 'paid', 'accepted']) await notify(passive, known, status);
  await ends('failed');
  returned = known.reference;
  expect(await payout()).toMatchObject({ failureCode: 'returned' });
  expect(entered(await timeline())).toEqual(['pending', 'processing', 'completed', 'failed']);
});

it('three days late: the payment is applied, and a contradicting failure needs manual review', async () => {
  const { ends, payout, transfer } = await payTo(passive, 'notifications-off');
  const known = await transfer();
  const occurredAt = new Date(Date.now() - 3 * DAY_MS);
  expect((await notify(passive, known, 'paid', { occurredAt })).data.outcome).toBe('recorded');
  await ends('completed');
  expect((await notify(passive, known, 'failed', { occurredAt })).data.outcome).toBe('recorded');
  await untilSettled(passive.runtime);
  expect(await payout()).toMatchObject({ status: 'completed', needsAttention: true });
});

it('forged, stale and altered notifications are 401 and change nothing', async () => {
  const { payout, transfer } = await payTo(passive, 'notifications-off');
  const known = await transfer();
  const forged = [
    notify(passive, known, 'paid', { secret: generateSigningSecret() }),
    notify(passive, known, 'paid', { now: new Date(Date.now() - 600_000) }),
    notify(passive, known, 'paid', { now: new Date(Date.now() + 600_000) }),
    passive.raw('POST', PATH, { body: '{}' }),
  ];
  expect((await Promise.all(forged)).map((response) => response.status)).toEqual([401, 401, 401, 401]);
  expect(await payout()).toMatchObject({ status: 'processing' });
  await notify(passive, known, 'paid');
  await untilSettled(passive.runtime);
});

it('a notification about an unknown transfer changes nothing', async () => {
  const { transfer } = await payTo(system, 'ok');
  const foreign = { ...(await transfer()), idempotencyKey: 'unknown-payout-1' };
  expect((await notify(system, foreign, 'paid')).data).toEqual({ outcome: 'unknown_transfer' });
});

it('a payment returned during the last lookup is recorded', async () => {
  // The provider sends `returned` after it responded `paid` to a lookup and before that response is applied.
  const provider = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const upstream = await fetch(between.sandbox.url + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const text = await upstream.text();
    const isLookup = request.method === 'GET' && text.includes('"status":"paid"');
    if (isLookup) expect((await notify(between, JSON.parse(text), 'returned')).data).toEqual({ outcome: 'recorded' });
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(text);
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const between = await openTestSystem({ env: { SANDBOX_URL: url } });
  try {
    const { key, affiliateId, programId } = await makePayable(between, { local: `accepted-only+${unique()}` });
    const created = await between.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    const read = async () => (await between.call('GET', `/payouts/${created.data.id}`, { key })).data;
    expect(await until('the payout has failed', read, (payout) => payout.status === 'failed')).toMatchObject({
      failureCode: 'returned',
    });
  } finally {
    await between.close();
    provider.close();
  }
});

it('all invariants hold', async () => {
  await Promise.all([untilSettled(system.runtime), untilSettled(passive.runtime)]);
  const { findings } = await audit(passive);
  expect(findings).toEqual([{ invariant: 'I2', subject: `payout ${returned}`, detail: 'paid at the provider but failed here' }]);
  expect((await audit(system)).findings).toEqual([]);
});
