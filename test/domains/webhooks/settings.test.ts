import { decryptRequestHeaders } from '../../../src/domains/webhooks/endpoints/request-headers.steps.ts';
import { resendWebhookDelivery } from '../../../src/domains/webhooks/use-cases/resend-webhook-delivery.ts';
import {
  type UpdateWebhookEndpointSettingsInput,
  updateWebhookEndpointSettings,
} from '../../../src/domains/webhooks/use-cases/update-webhook-endpoint-settings.ts';
import { deleteWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { type ReceivedRequest, useReceiver } from '../../support/receiver/receiver.ts';
import { type TestMerchant, useWebhookBench } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();

type Settings = Omit<UpdateWebhookEndpointSettingsInput, 'id'>;

const begin = async (behaviour: string, settings: Settings, merchant?: TestMerchant) => {
  const owner = merchant ?? (await bench.merchant());
  const path = `/${behaviour}/c${unique()}`;
  const endpoint = await owner.endpoint({ url: receiver.url(path) });
  const change = (changes: Settings) => updateWebhookEndpointSettings(owner.ctx(), { ...changes, id: endpoint.id });
  await change(settings);
  return { merchant: owner, endpoint, path, change };
};

const emitMany = async (merchant: TestMerchant, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push(...(await merchant.emit()));
  return ids;
};

const countOf = async (ids: readonly string[], status: string): Promise<number> => {
  const { em } = bench.runtime.context({ kind: 'system', name: 'test' });
  const row = await firstRow(
    em,
    sql<{
      count: number;
    }>`select count(*)::int as count from webhook_delivery where id = any(${[...ids]}::uuid[]) and status = ${status}`,
  );
  return row?.count ?? 0;
};

const drained = (ids: readonly string[]) => bench.drainUntil(async () => (await countOf(ids, 'succeeded')) === ids.length);

const storedHeaders = (merchant: TestMerchant, id: string) =>
  firstRow(
    merchant.ctx().em,
    sql<{ ciphertext: string | null }>`select header_ciphertext as ciphertext from webhook_endpoint where id = ${id}::uuid`,
  );

const valuesOf = (requests: readonly ReceivedRequest[], name: string): (string | undefined)[] =>
  requests.map(({ headers }) => new Map(headers).get(name));

describe('headers', () => {
  test('headers are sent with first attempts, retries and resends, each with the values of that time', async () => {
    const { merchant, path, change } = await begin('sequence/500,200', {
      headers: { Authorization: 'Bearer one', 'X-Tenant': 'acme' },
    });
    const [id = ''] = await merchant.emit();
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 0);
    await change({ headers: { authorization: 'Bearer two', 'x-tenant': null, 'X-New': 'a b' } });
    bench.clock.advance(5_000);
    expect(await bench.attempt(id)).toEqual({ end: 'succeeded', attempts: 2 });
    await change({ headers: null });
    await resendWebhookDelivery(merchant.ctx(), { id });
    await bench.attempt(id, '/m1');
    const requests = await receiver.received(path);
    expect(valuesOf(requests, 'authorization')).toEqual(['Bearer one', 'Bearer two', undefined]);
    expect(valuesOf(requests, 'x-tenant')).toEqual(['acme', undefined, undefined]);
    expect(valuesOf(requests, 'x-new')).toEqual([undefined, 'a b', undefined]);
  });

  test('headers are sent beside those of the delivery, which they leave alone', async () => {
    const { merchant, path } = await begin('status/200', { headers: { 'X-Tenant': 'acme' } });
    await drained(await merchant.emit());
    const [request] = await receiver.received(path);
    const names = (request?.headers ?? []).map(([name]) => name);
    expect(names.filter((name) => name === 'x-tenant')).toHaveLength(1);
    expect(names).toEqual(
      expect.arrayContaining(['webhook-id', 'webhook-signature', 'svix-id', 'content-type', 'user-agent', 'host']),
    );
  });

  test('headers are masked in what is stored of a response that repeats them', async () => {
    const token = `token-${unique()}`;
    const { merchant } = await begin('echo/500', { headers: { Authorization: `Bearer ${token}`, 'X-Short': 'a' } });
    const [id = ''] = await merchant.emit();
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 0);
    bench.clock.advance(5_000);
    await bench.attempt(id);
    const { attempts } = await merchant.delivery(id);
    expect(attempts).toHaveLength(2);
    for (const { responseExcerpt, responseHeaders } of attempts) {
      expect(responseExcerpt).toContain('authorization: ****\n');
      expect(responseExcerpt).toContain('x-short: a');
      expect(responseHeaders?.['x-request-id']).toBe('****');
    }
    expect(JSON.stringify(attempts)).not.toContain(token);
  });

  test('headers are stored encrypted, bound to their endpoint, and deleted with it', async () => {
    const { merchant, endpoint } = await begin('status/200', { headers: { Authorization: 'Bearer 7f9c24e5' } });
    const other = await begin('status/200', { headers: { 'X-Other': 'other' } });
    const stored = await storedHeaders(merchant, endpoint.id);
    expect(stored?.ciphertext).toMatch(/^v1\.test\./);
    expect(decryptRequestHeaders(merchant.ctx(), endpoint.id, stored?.ciphertext ?? null)).toEqual({
      authorization: 'Bearer 7f9c24e5',
    });
    await execute(
      merchant.ctx().em,
      sql`update webhook_endpoint set header_ciphertext = ${stored?.ciphertext} where id = ${other.endpoint.id}::uuid`,
    );
    const [id = ''] = await other.merchant.emit();
    await bench.drainUntil(async () => (await bench.outbox(id)).length > 0);
    expect((await other.merchant.delivery(id)).attempts).toMatchObject([{ outcome: 'failed', errorCode: 'internal_error' }]);
    expect(await receiver.received(other.path)).toEqual([]);
    await deleteWebhookEndpoint(merchant.ctx(), { id: endpoint.id });
    expect(await storedHeaders(merchant, endpoint.id)).toEqual({ ciphertext: null });
  });

  test('changes at the same time are all applied', async () => {
    const { merchant, endpoint, change } = await begin('status/200', {});
    const names = Array.from({ length: 10 }, (_, n) => `x-${n}`);
    await Promise.all(names.map((name) => change({ headers: { [name]: name } })));
    const stored = await storedHeaders(merchant, endpoint.id);
    const headers = decryptRequestHeaders(merchant.ctx(), endpoint.id, stored?.ciphertext ?? null);
    expect(headers).toEqual(Object.fromEntries(names.map((name) => [name, name])));
  });
});

/** The receiver answers after this time: a request is open at least as long. Timers of Node may fire a millisecond early. */
const SLOW_MS = 60;

/** The most requests that were open at the receiver at a time. */
const mostAtATime = (requests: readonly ReceivedRequest[]): number =>
  Math.max(...requests.map(({ at }) => requests.filter((other) => other.at <= at && at < other.at + SLOW_MS - 2).length));

test.each([1, 3])('the receiver never sees more than %d first attempts at a time', async (maxInFlight) => {
  const { merchant, path } = await begin(`slow/${SLOW_MS}/200`, { maxInFlight });
  const ids = await emitMany(merchant, 15);
  await drained(ids);
  const requests = await receiver.received(path);
  expect(requests).toHaveLength(15);
  expect(mostAtATime(requests)).toBeLessThanOrEqual(maxInFlight);
});

describe('a rate', () => {
  test('a rate is kept from the first attempt on, however slow the machine is', async () => {
    const ratePerSecond = 5;
    const { merchant, path } = await begin('status/200', { ratePerSecond });
    const ids = await emitMany(merchant, 13);
    const since = Date.now();
    await drained(ids);
    const waits = (await receiver.received(path)).map(({ at }) => at - since).sort((a, b) => a - b);
    expect(waits).toHaveLength(13);
    // The nth cannot arrive before it may be sent: 200 ms after the one before it, and the second one at once.
    expect(waits.filter((waitMs, n) => waitMs < (Math.max(0, n - 1) * 1_000) / ratePerSecond - 20)).toEqual([]);
  });

  test('makes deliveries wait, which uses no attempt and holds up nobody else', async () => {
    const { merchant, path, endpoint } = await begin('status/200', { ratePerSecond: 1 });
    const other = await begin('status/200', {}, merchant);
    const ids = await emitMany(merchant, 30);
    await bench.drainUntil(async () => (await receiver.received(other.path)).length === 30);
    expect((await receiver.received(path)).length).toBeLessThan(30);
    const waiting = await rows(
      merchant.ctx().em,
      sql<{
        attempts: number;
        autoAttempts: number;
      }>`select distinct attempts, auto_attempts as "autoAttempts" from webhook_delivery
        where id = any(${ids}::uuid[]) and endpoint_id = ${endpoint.id}::uuid and status = 'pending'`,
    );
    expect(waiting).toEqual([{ attempts: 0, autoAttempts: 0 }]);
  });
});
