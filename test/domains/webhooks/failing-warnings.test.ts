import { WEBHOOK_EVENTS } from '../../../src/api/webhook-events.ts';
import { getWebhookEndpoint } from '../../../src/domains/webhooks/endpoints/webhook-endpoints.queries.ts';
import { storeCircuitBreaker } from '../../../src/domains/webhooks/use-cases/store-circuit-breaker.ts';
import { testWebhookEndpoint } from '../../../src/domains/webhooks/use-cases/test-webhook-endpoint.ts';
import {
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { useReceiver } from '../../support/receiver/receiver.ts';
import { mailsAbout } from '../notifications/support.ts';
import { type TestMerchant, useWebhookBench } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const begin = async (behaviour: string) => {
  const merchant = await bench.merchant();
  const url = receiver.url(`/${behaviour}/s3cret${unique()}?token=t0ken`);
  return { merchant, url, endpoint: await merchant.endpoint({ url, name: 'Shop' }) };
};

const system = () => bench.runtime.context({ kind: 'system', name: 'test' });

const mailsOf = async (endpointId: string) =>
  (await mailsAbout(bench.runtime, endpointId)).filter(({ kind }) => kind !== 'webhook_created');
const kindsOf = async (endpointId: string): Promise<string[]> => (await mailsOf(endpointId)).map(({ kind }) => kind);

const stored = async (endpointId: string) => {
  const row = await firstRow(
    system().em,
    sql<{ status: string; reason: string | null; failures: number; warnings: number; failingSince: string | null }>`
      select status, disabled_reason as reason, breaker_failures as failures, failing_warnings as warnings,
        failing_since as "failingSince" from webhook_endpoint where id = ${endpointId}::uuid`,
  );
  if (!row) throw new Error('the endpoint has no row');
  return row;
};

/** What a lane stores after a probe that failed. */
const storeFailure = (
  endpointId: string,
  { failingSinceMs, failures = 3, url = null }: { failingSinceMs: number; failures?: number; url?: string | null },
) =>
  storeCircuitBreaker(system(), {
    endpointId,
    url,
    state: { untilMs: bench.clock.now().getTime() + MINUTE, failures, failingSinceMs },
    lastFailure: { error: 'http_5xx', httpStatus: 503 },
  });

const storeSuccess = (endpointId: string) =>
  storeCircuitBreaker(system(), {
    endpointId,
    state: { untilMs: null, failures: 0, failingSinceMs: null },
    lastFailure: { error: null, httpStatus: null },
  });

/** Fails for some hours now. */
const failFor = async (hours: number) => {
  const { merchant, endpoint } = await begin('status/503');
  const failingSinceMs = bench.clock.now().getTime() - hours * HOUR;
  await storeFailure(endpoint.id, { failingSinceMs });
  return { merchant, id: endpoint.id, failingSinceMs };
};

const emitMany = async (merchant: TestMerchant, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(...(await merchant.emit()));
  return ids;
};

test('the merchant of an endpoint that fails is warned once at 24 and once at 72 hours, and told once that it is disabled at 120 hours', async () => {
  const { merchant, endpoint } = await begin('status/503');
  await emitMany(merchant, 20);
  const drainer = bench.drainer();
  await bench.drainUntil(async () => (await stored(endpoint.id)).failures === 1, { drainer });
  const { failingSince } = await stored(endpoint.id);
  for (const [hours, warnings] of [
    [23, 0],
    [2, 1],
    [10, 1],
    [38, 2],
    [40, 2],
  ] as const) {
    const { failures } = await stored(endpoint.id);
    bench.clock.advance(hours * HOUR);
    await bench.drainUntil(async () => (await stored(endpoint.id)).failures > failures, { drainer });
    expect(await stored(endpoint.id)).toMatchObject({ status: 'active', warnings, failingSince });
  }
  bench.clock.advance(8 * HOUR);
  await bench.drainUntil(async () => (await stored(endpoint.id)).status === 'disabled', { drainer });
  expect(await stored(endpoint.id)).toMatchObject({ reason: 'failing' });
  const mails = await mailsOf(endpoint.id);
  expect(mails.map(({ kind, waiting }) => [kind, waiting])).toEqual([
    ['webhook_failing', true],
    ['webhook_failing', true],
    ['webhook_disabled', true],
  ]);
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Webhook endpoint Shop has been failing for 25 hours',
    'Webhook endpoint Shop has been failing for 73 hours',
    'Webhook endpoint Shop was disabled',
  ]);
});

test('the mails name the endpoint, its host, the last error and what to do, and nothing of the path', async () => {
  const { endpoint, url } = await begin('status/503');
  const failingSinceMs = bench.clock.now().getTime() - 25 * HOUR;
  const timeOf = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  await storeFailure(endpoint.id, { failingSinceMs });
  bench.clock.advance(95 * HOUR);
  await storeFailure(endpoint.id, { failingSinceMs });
  const [failing, disabled] = (await mailsOf(endpoint.id)).map(({ text }) => text);
  for (const text of [failing, disabled]) {
    for (const word of ['Shop', new URL(url).host, 'http_5xx (503)', '/docs/guides/webhooks.md']) {
      expect(text).toContain(word);
    }
    expect(text).not.toMatch(/s3cret|t0ken|whsec/);
  }
  expect(failing).toContain(timeOf(failingSinceMs));
  expect(failing).toContain(timeOf(failingSinceMs + 120 * HOUR));
  expect(disabled).toContain(timeOf(failingSinceMs - 48 * HOUR));
});

test('a 410 disables the endpoint at once and sends one mail; a 410 to a test event sends none', async () => {
  const { merchant, endpoint } = await begin('status/410');
  await testWebhookEndpoint(merchant.ctx(), { id: endpoint.id, events: WEBHOOK_EVENTS });
  const [row] = await system().em.execute('select id from webhook_delivery where endpoint_id = ?', [endpoint.id]);
  expect(await bench.attempt(row?.id)).toMatchObject({ end: 'exhausted' });
  expect(await kindsOf(endpoint.id)).toEqual([]);
  const ids = await emitMany(merchant, 3);
  await Promise.all(ids.map((id) => bench.attempt(id)));
  const mails = await mailsOf(endpoint.id);
  expect(mails).toMatchObject([{ kind: 'webhook_disabled', waiting: true }]);
  expect(mails[0]?.text).toContain('410 (Gone)');
});

test('a 410 to a first attempt sends the mail, too', async () => {
  const { merchant, endpoint } = await begin('status/410');
  await emitMany(merchant, 2);
  await bench.drainUntil(async () => (await stored(endpoint.id)).status === 'disabled');
  expect(await kindsOf(endpoint.id)).toEqual(['webhook_disabled']);
});

test('two processes at once warn once', async () => {
  const { endpoint } = await begin('status/503');
  const failingSinceMs = bench.clock.now().getTime() - 25 * HOUR;
  await Promise.all([0, 1, 2, 3].map(() => storeFailure(endpoint.id, { failingSinceMs })));
  expect(await kindsOf(endpoint.id)).toEqual(['webhook_failing']);
});

test('a recovery sends a mail only after a warning, and a later outage is warned of again', async () => {
  const { id } = await failFor(23);
  await storeSuccess(id);
  expect(await kindsOf(id)).toEqual([]);
  await storeFailure(id, { failingSinceMs: bench.clock.now().getTime() - 24 * HOUR });
  await storeSuccess(id);
  await storeSuccess(id);
  expect(await stored(id)).toMatchObject({ warnings: 0, failingSince: null });
  expect(await kindsOf(id)).toEqual(['webhook_failing', 'webhook_recovered']);
  bench.clock.advance(24 * HOUR);
  await storeFailure(id, { failingSinceMs: bench.clock.now().getTime() - 24 * HOUR });
  expect(await kindsOf(id)).toEqual(['webhook_failing', 'webhook_recovered', 'webhook_failing']);
});

test('enabling an endpoint begins a new period, and disabling by the merchant sends no mail', async () => {
  const { merchant, id } = await failFor(30);
  await disableWebhookEndpoint(merchant.ctx(), { id });
  await storeFailure(id, { failingSinceMs: bench.clock.now().getTime() - 200 * HOUR });
  await enableWebhookEndpoint(merchant.ctx(), { id });
  expect(await stored(id)).toMatchObject({ status: 'active', warnings: 0, failingSince: null });
  expect(await kindsOf(id)).toEqual(['webhook_failing']);
});

test('an endpoint that was enabled is not disabled early by a lane that still knows the former outage', async () => {
  const { merchant, id, failingSinceMs } = await failFor(119);
  await disableWebhookEndpoint(merchant.ctx(), { id });
  bench.clock.advance(2 * HOUR);
  await enableWebhookEndpoint(merchant.ctx(), { id });
  const enabledMs = bench.clock.now().getTime();
  await storeFailure(id, { failingSinceMs });
  const { status, warnings, failingSince } = await stored(id);
  expect({ status, warnings }).toEqual({ status: 'active', warnings: 0 });
  expect(enabledMs - new Date(failingSince ?? 0).getTime()).toBeLessThan(HOUR);
  expect(await kindsOf(id)).toEqual(['webhook_failing']);
});

test('another URL begins the times anew; since when nothing succeeded stays known', async () => {
  const { merchant, id, failingSinceMs } = await failFor(119);
  expect(await stored(id)).toMatchObject({ warnings: 2 });
  await updateWebhookEndpoint(merchant.ctx(), { id, url: receiver.url('/status/503/corrected') });
  const seen: [hours: number, status: string, mails: number][] = [];
  for (const hours of [2, 23, 48, 48]) {
    bench.clock.advance(hours * HOUR);
    await storeFailure(id, { failingSinceMs });
    seen.push([hours, (await stored(id)).status, (await kindsOf(id)).length]);
  }
  expect(seen).toEqual([
    [2, 'active', 1],
    [23, 'active', 2],
    [48, 'active', 3],
    [48, 'disabled', 4],
  ]);
  expect(new Date((await stored(id)).failingSince ?? 0).getTime()).toBe(failingSinceMs);
});

test('another URL closes the breaker, and a late failure of the former one leaves it closed', async () => {
  const { merchant, id, failingSinceMs } = await failFor(1);
  const { url: former } = await getWebhookEndpoint(merchant.ctx(), id);
  const corrected = receiver.url('/status/503/corrected');
  await updateWebhookEndpoint(merchant.ctx(), { id, url: corrected });
  await storeFailure(id, { failingSinceMs, url: former });
  expect(await stored(id)).toMatchObject({ failures: 0 });
  await storeFailure(id, { failingSinceMs, url: corrected });
  expect(await stored(id)).toMatchObject({ failures: 3 });
});

test('another name, and the same URL, change nothing about these times', async () => {
  const { merchant, id, failingSinceMs } = await failFor(119);
  const { url } = await getWebhookEndpoint(merchant.ctx(), id);
  await updateWebhookEndpoint(merchant.ctx(), { id, url, name: 'Shop 2' });
  bench.clock.advance(2 * HOUR);
  await storeFailure(id, { failingSinceMs });
  expect(await stored(id)).toMatchObject({ status: 'disabled' });
});

describe('retries', () => {
  test('one that succeeded meanwhile, unknown to the lane, prevents the warning and keeps the endpoint enabled', async () => {
    const { merchant, endpoint } = await begin('status/200');
    const failingSinceMs = bench.clock.now().getTime() - 121 * HOUR;
    const [id = ''] = await merchant.emit();
    expect(await bench.attempt(id)).toMatchObject({ end: 'succeeded' });
    await storeFailure(endpoint.id, { failingSinceMs });
    const { status, warnings, failingSince } = await stored(endpoint.id);
    expect({ status, warnings }).toEqual({ status: 'active', warnings: 0 });
    expect(new Date(failingSince ?? 0).getTime()).toBeGreaterThan(failingSinceMs + 120 * HOUR);
    expect(await kindsOf(endpoint.id)).toEqual([]);
    await storeFailure(endpoint.id, { failingSinceMs });
    expect((await stored(endpoint.id)).failingSince).toBe(failingSince);
  });

  test('one that succeeds after a warning sends one mail of the recovery, and the next warning is 24 hours later', async () => {
    const { merchant, endpoint } = await begin('status/200');
    const [id = '', other = ''] = await emitMany(merchant, 2);
    const failingSinceMs = bench.clock.now().getTime() - 25 * HOUR;
    await storeFailure(endpoint.id, { failingSinceMs });
    await bench.attempt(id);
    await bench.attempt(other);
    expect(await kindsOf(endpoint.id)).toEqual(['webhook_failing', 'webhook_recovered']);
    bench.clock.advance(25 * HOUR);
    await storeFailure(endpoint.id, { failingSinceMs });
    expect(await kindsOf(endpoint.id)).toEqual(['webhook_failing', 'webhook_recovered', 'webhook_failing']);
  });

  test('an endpoint with one event is warned of although its breaker never opens, and a first attempt that succeeds ends that', async () => {
    const failures = Array.from({ length: 10 }, () => '500').join(',');
    const { merchant, endpoint } = await begin(`sequence/${failures},200`);
    const [id = ''] = await merchant.emit();
    const seen: [hours: number, warnings: number][] = [];
    let hours = 0;
    for (let n = 1; n <= 10; n += 1) {
      const outcome = await bench.attempt(id);
      const { warnings } = await stored(endpoint.id);
      if (seen.at(-1)?.[1] !== warnings) seen.push([Math.floor(hours), warnings]);
      if (!('waitMs' in outcome)) break;
      bench.clock.advance(outcome.waitMs);
      hours += outcome.waitMs / HOUR;
    }
    expect(seen).toEqual([
      [0, 0],
      [31, 1],
      [75, 2],
    ]);
    const { failures: breakerFailures, failingSince } = await stored(endpoint.id);
    expect(breakerFailures).toBe(0);
    expect(failingSince).not.toBeNull();
    await merchant.emit();
    await bench.drainUntil(async () => (await stored(endpoint.id)).failingSince === null);
    expect(await kindsOf(endpoint.id)).toEqual(['webhook_failing', 'webhook_failing', 'webhook_recovered']);
  });

  test('a replay that fails says nothing about the time since its event', async () => {
    const { merchant, endpoint } = await begin('status/500');
    const [id = ''] = await merchant.emit();
    await system().em.execute(`update webhook_delivery set trigger = 'replay', run_suffix = '/p1' where id = ?`, [id]);
    bench.clock.advance(30 * HOUR);
    expect(await bench.attempt(id, '/p1')).toHaveProperty('waitMs');
    expect(await stored(endpoint.id)).toMatchObject({ warnings: 0, failingSince: null });
  });

  test('a single event that is refused while others succeed is no warning', async () => {
    const { merchant, endpoint } = await begin('sequence/500,200,500');
    const [refused = ''] = await merchant.emit();
    await bench.attempt(refused);
    const [other = ''] = await merchant.emit();
    expect(await bench.attempt(other)).toMatchObject({ end: 'succeeded' });
    bench.clock.advance(25 * HOUR);
    await bench.attempt(refused);
    expect(await stored(endpoint.id)).toMatchObject({ warnings: 0, failingSince: null });
    expect(await kindsOf(endpoint.id)).toEqual([]);
  });
});

test('a warning is written with the state or not at all', async () => {
  const { endpoint } = await begin('status/503');
  const failingSinceMs = bench.clock.now().getTime() - 25 * HOUR;
  const rolledBack = inTransaction(system(), async (ctx) => {
    const state = { untilMs: failingSinceMs, failures: 3, failingSinceMs };
    await storeCircuitBreaker(ctx, { endpointId: endpoint.id, state, lastFailure: { error: 'reset', httpStatus: null } });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await stored(endpoint.id)).toMatchObject({ warnings: 0, failingSince: null });
  expect(await kindsOf(endpoint.id)).toEqual([]);
});

test('many endpoints of one merchant that fail together send one mail each, up to a bound', async () => {
  const merchant = await bench.merchant();
  const failingSinceMs = bench.clock.now().getTime() - 25 * HOUR;
  const ids: string[] = [];
  for (let n = 0; n < 22; n += 1) {
    const { id } = await merchant.endpoint({ url: receiver.url(`/status/503/t${unique()}`) });
    ids.push(id);
    await storeFailure(id, { failingSinceMs });
  }
  const told = (await Promise.all(ids.map((id) => kindsOf(id)))).flat();
  expect(told).toHaveLength(20);
  expect(await mailsOf(merchant.id)).toMatchObject([{ kind: 'webhook_failing', subject: 'More webhook endpoints are failing' }]);
});
