import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateSigningSecret } from '../../src/platform/crypto/standard-webhooks.ts';
import { makePayable, unique } from '../support/factories.ts';
import { signedNotification } from '../support/notification-receiver.ts';
import type { SandboxTransfer } from '../support/sandbox.ts';
import { openTestSystem, type TestSystem, until } from '../support/system.ts';
import { audit, untilSettled } from './support/settled.ts';

/** D3: what a provider tells, too often, out of order, forged, and days late. */
const DAY_MS = 86_400_000;
const NEVER = 3_600_000;
const PATH = '/api/integrations/rails/sandbox';

let system: TestSystem;
let patient: TestSystem;
/** Told as returned by us, while the provider itself holds it for paid. */
let returned: string;
beforeAll(async () => {
  // One that asks all the time, and one that only listens.
  [system, patient] = await Promise.all([
    openTestSystem(),
    openTestSystem({ timing: { lookUpMs: NEVER, lookUpMaxMs: NEVER, remindAfterMs: [] } }),
  ]);
});
afterAll(() => Promise.all([system?.close(), patient?.close()]));

const payTo = async (on: TestSystem, local: string) => {
  const { key, affiliateId, programId } = await makePayable(on, { local: `${local}+${unique()}` });
  const created = await on.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const id: string = created.data.id;
  const payout = async () => (await on.call('GET', `/payouts/${id}`, { key })).data;
  const timeline = async () => (await on.call('GET', `/payouts/${id}/timeline`, { key })).data as { what: string; to: string }[];
  const ends = (status: string) => until(payout, (seen) => seen.status === status);
  const transfer = async (): Promise<SandboxTransfer> => {
    const [found] = await until(
      async () => (await on.sandbox.transfers()).filter((each) => each.reference === id),
      (seen) => seen.length > 0,
    );
    if (!found) throw new Error('no transfer');
    return found;
  };
  return { id, key, payout, timeline, ends, transfer };
};

const tell = async (
  on: TestSystem,
  transfer: SandboxTransfer,
  status: string,
  more: Partial<Parameters<typeof signedNotification>[0]> = {},
) => {
  const { idempotencyKey, id: transferId } = transfer;
  const id = `ntc_${unique()}`;
  const at = { now: new Date(), occurredAt: new Date() };
  const { headers, body } = signedNotification({
    secret: on.sandbox.notificationSecret,
    id,
    type: `transfer.${status}`,
    idempotencyKey,
    transferId,
    ...at,
    ...more,
  });
  return on.raw('POST', PATH, { headers, body });
};

const entered = (timeline: { to: string }[]) => timeline.map((entry) => entry.to).filter(Boolean);

it.each(['notifications-twice', 'notifications-reversed'])('%s: one effect', async (local) => {
  const { ends, timeline } = await payTo(patient, local);
  await ends('completed');
  await untilSettled(patient.runtime);
  expect(entered(await timeline())).toEqual(['pending', 'processing', 'completed']);
});

it('one notification thirty times at once: one effect', async () => {
  const { ends, timeline, transfer } = await payTo(patient, 'notifications-off');
  const known = await transfer();
  const id = `ntc_${unique()}`;
  const told = await Promise.all(Array.from({ length: 30 }, () => tell(patient, known, 'paid', { id })));
  const outcomes = told.map((answer) => answer.data?.outcome ?? answer.status);
  expect(outcomes.filter((outcome) => outcome === 'recorded')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(29);
  await ends('completed');
  expect(entered(await timeline())).toEqual(['pending', 'processing', 'completed']);
});

it('returned before paid before accepted: ends as returned, by every step on the way', async () => {
  const { ends, timeline, transfer, payout } = await payTo(patient, 'notifications-off');
  const known = await transfer();
  for (const status of ['returned', 'paid', 'accepted']) await tell(patient, known, status);
  await ends('failed');
  returned = known.reference;
  expect(await payout()).toMatchObject({ failureCode: 'returned' });
  expect(entered(await timeline())).toEqual(['pending', 'processing', 'completed', 'failed']);
});

it('three days late: the payment counts, and a failure that contradicts it goes to a person', async () => {
  const { ends, payout, transfer } = await payTo(patient, 'notifications-off');
  const known = await transfer();
  const occurredAt = new Date(Date.now() - 3 * DAY_MS);
  expect((await tell(patient, known, 'paid', { occurredAt })).data.outcome).toBe('recorded');
  await ends('completed');
  expect((await tell(patient, known, 'failed', { occurredAt })).data.outcome).toBe('recorded');
  await untilSettled(patient.runtime);
  expect(await payout()).toMatchObject({ status: 'completed', needsAttention: true });
});

it('forged, stale and altered notifications are 401 and change nothing', async () => {
  const { payout, transfer } = await payTo(patient, 'notifications-off');
  const known = await transfer();
  const forged = [
    tell(patient, known, 'paid', { secret: generateSigningSecret() }),
    tell(patient, known, 'paid', { now: new Date(Date.now() - 600_000) }),
    tell(patient, known, 'paid', { now: new Date(Date.now() + 600_000) }),
    patient.raw('POST', PATH, { body: '{}' }),
  ];
  expect((await Promise.all(forged)).map((answer) => answer.status)).toEqual([401, 401, 401, 401]);
  expect(await payout()).toMatchObject({ status: 'processing' });
  await tell(patient, known, 'paid');
  await untilSettled(patient.runtime);
});

it('a notification of a transfer that is not ours changes nothing', async () => {
  const { transfer } = await payTo(system, 'ok');
  const foreign = { ...(await transfer()), idempotencyKey: 'payout-of-somebody-1' };
  expect((await tell(system, foreign, 'paid')).data).toEqual({ outcome: 'unknown_transfer' });
});

it('money that comes back while the last question is on its way is not forgotten', async () => {
  // Between the provider's "paid" and our taking it in, the provider tells that the money came back.
  const provider = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const answer = await fetch(between.sandbox.url + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const text = await answer.text();
    const isAsked = request.method === 'GET' && text.includes('"status":"paid"');
    if (isAsked) expect((await tell(between, JSON.parse(text), 'returned')).data).toEqual({ outcome: 'recorded' });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const between = await openTestSystem({ env: { SANDBOX_URL: url } });
  try {
    const { key, affiliateId, programId } = await makePayable(between, { local: `accepted-only+${unique()}` });
    const created = await between.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    const look = async () => (await between.call('GET', `/payouts/${created.data.id}`, { key })).data;
    expect(await until(look, (seen) => seen.status === 'failed')).toMatchObject({ failureCode: 'returned' });
  } finally {
    await between.close();
    provider.close();
  }
});

it('all invariants hold', async () => {
  await Promise.all([untilSettled(system.runtime), untilSettled(patient.runtime)]);
  const { findings } = await audit(patient);
  expect(findings).toEqual([{ invariant: 'I2', subject: `payout ${returned}`, detail: 'paid at the provider and failed here' }]);
  expect((await audit(system)).findings).toEqual([]);
});
