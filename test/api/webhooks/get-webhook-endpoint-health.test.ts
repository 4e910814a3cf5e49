import { COUNT_MAX } from '../../../src/contracts/limits.ts';
import { DELIVERY_ERRORS } from '../../../src/contracts/webhooks.ts';
import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeEndpoint, type OwnEndpoint } from './support.ts';

const api = useTestApi();

const health = async ({ key, id }: OwnEndpoint) => (await api.call('GET', `/webhooks/${id}/health`, { key })).data;

interface Made {
  count?: number;
  status: string;
  /** How long ago the delivery was made. */
  hours?: number;
  /** Outcomes of its attempts, the first one when it was made, each a minute after the one before it. */
  attempts?: readonly string[];
}

/** Each minute one delivery, the newest that long ago. */
const addDeliveries = ({ merchantId, id }: OwnEndpoint, { count = 1, status, hours = 0, attempts = [] }: Made) =>
  rowsOf(
    api,
    `with event as (
        insert into webhook_event (id, merchant_id, type, schema_version, body, occurred_at)
        select uuidv7(), ?, 'payout.completed', 2, '{}', now() - make_interval(hours => ?, mins => n)
        from generate_series(0, ? - 1) n returning id, occurred_at
      ), delivery as (
        insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, in_lane, priority, status, attempts, created_at, updated_at)
        select uuidv7(), id, ?, ?, 0, false, 3, ?, ?, occurred_at, occurred_at + interval '1 second' from event returning id, created_at
      )
      insert into webhook_attempt (delivery_id, n, suffix, trigger, url, started_at, finished_at, outcome, error_code)
      select delivery.id, n, '', 'schedule', 'https://1.1.1.1/hook', at, at, case error when 'ok' then 'succeeded' else 'failed' end,
        nullif(error, 'ok')
      from delivery, unnest(?::text[]) with ordinality as made (error, n), lateral (select created_at + (n - 1) * interval '1 minute' as at) t
      returning delivery_id`,
    [merchantId, hours, count, id, merchantId, status, attempts.length, `{${attempts.join(',')}}`],
  );

it('there is nothing to report about a new endpoint', async () => {
  const own = await makeEndpoint(api);
  expect(await health(own)).toEqual({
    endpointId: own.id,
    status: 'active',
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    breaker: { openUntil: null, failures: 0 },
    deliveries: { pending: 0, parked: 0, exhausted: 0, oldestPendingAt: null },
    lastSuccessAt: null,
    lastFailureAt: null,
    lastErrorCode: null,
    recent: { from: expect.any(String), attempts: 0, succeeded: 0, successShare: null },
    nextSteps: ['Nothing to do.'],
  });
});

it('counts deliveries by status, and the attempts of the last day', async () => {
  const own = await makeEndpoint(api);
  await addDeliveries(own, { status: 'succeeded', count: 3, hours: 2, attempts: ['ok'] });
  await addDeliveries(own, { status: 'exhausted', count: 2, hours: 50, attempts: ['http_5xx', 'timeout_headers'] });
  await addDeliveries(own, { status: 'pending', count: 4, hours: 1, attempts: ['http_4xx'] });
  await addDeliveries(own, { status: 'parked', hours: 3 });
  await addDeliveries(own, { status: 'cancelled', hours: 3 });
  const found = await health(own);
  expect(found).toMatchObject({
    deliveries: { pending: 4, parked: 1, exhausted: 2 },
    recent: { attempts: 7, succeeded: 3, successShare: 3 / 7 },
    lastErrorCode: 'http_4xx',
  });
  const minutesAgo = (at: string): number => Math.round((Date.now() - Date.parse(at)) / 60_000);
  const { deliveries, lastSuccessAt, lastFailureAt, recent } = found;
  expect([deliveries.oldestPendingAt, lastSuccessAt, lastFailureAt, recent.from].map(minutesAgo)).toEqual([63, 120, 60, 1440]);
  expect(found.nextSteps).toEqual([expect.stringMatching(/rejects the request/), expect.stringMatching(/GET \/events/)]);
});

it('names the last success also when a thousand deliveries failed since', async () => {
  const own = await makeEndpoint(api);
  await addDeliveries(own, { status: 'succeeded', hours: 200, attempts: ['connect_refused', 'ok'] });
  await addDeliveries(own, { status: 'pending', count: 1_100, hours: 1, attempts: ['connect_refused'] });
  const found = await health(own);
  expect(found.recent).toMatchObject({ attempts: 1_000, succeeded: 0, successShare: 0 });
  const hoursAgo = (at: string): number => Math.floor((Date.now() - Date.parse(at)) / 3_600_000);
  // The thousandth is 999 minutes older than the newest one, which is an hour old.
  expect([found.recent.from, found.lastSuccessAt].map(hoursAgo)).toEqual([17, 199]);
  expect([found.deliveries.pending, found.lastErrorCode]).toEqual([1_100, 'connect_refused']);
});

it('tests that were given up are not counted: no replay sends them', async () => {
  const own = await makeEndpoint(api);
  await addDeliveries(own, { status: 'exhausted', count: 2 });
  await rowsOf(
    api,
    `update webhook_delivery set trigger = 'test' where id = (select id from webhook_delivery where endpoint_id = ? limit 1) returning id`,
    [own.id],
  );
  expect((await health(own)).deliveries).toMatchObject({ exhausted: 1 });
});

it('stops counting at 10,000', async () => {
  const own = await makeEndpoint(api);
  await addDeliveries(own, { status: 'exhausted', count: COUNT_MAX + 10 });
  expect((await health(own)).deliveries).toMatchObject({ exhausted: COUNT_MAX });
});

it('shows the circuit breaker while the endpoint fails', async () => {
  const own = await makeEndpoint(api);
  const until = '2026-01-15T09:31:00.000Z';
  const since = '2026-01-14T09:30:00.000Z';
  await rowsOf(
    api,
    'update webhook_endpoint set breaker_until = ?, breaker_failures = 3, failing_since = ? where id = ? returning id',
    [until, since, own.id],
  );
  expect(await health(own)).toMatchObject({
    failingSince: since,
    breaker: { openUntil: until, failures: 3 },
    nextSteps: [expect.stringMatching(/^Leave it enabled/)],
  });
});

it.each([
  ['gone', /answered 410/],
  ['failing', /no attempt succeeded for days/],
])('says why it was disabled (%s) and what enabling it sends', async (reason, step) => {
  const own = await makeEndpoint(api);
  await addDeliveries(own, { status: 'parked' });
  await api.call('POST', `/webhooks/${own.id}/disable`, { key: own.key });
  await rowsOf(api, 'update webhook_endpoint set disabled_reason = ? where id = ? returning id', [reason, own.id]);
  expect(await health(own)).toMatchObject({
    status: 'disabled',
    disabledReason: reason,
    disabledAt: expect.any(String),
    nextSteps: [
      expect.stringMatching(step),
      'Enabling it sends the parked deliveries.',
      expect.stringMatching(/^Then send what it missed: `POST/),
    ],
  });
});

it('says what to do about every error', async () => {
  const own = await makeEndpoint(api);
  let hours = DELIVERY_ERRORS.length;
  for (const error of DELIVERY_ERRORS) {
    await addDeliveries(own, { status: 'pending', hours: hours--, attempts: [error] });
    const { lastErrorCode, nextSteps } = await health(own);
    expect([lastErrorCode, nextSteps]).toEqual([error, [expect.stringMatching(/^[A-Z].+\.$/)]]);
  }
});

it('responds 404 for a deleted endpoint', async () => {
  const own = await makeEndpoint(api);
  await api.call('DELETE', `/webhooks/${own.id}`, { key: own.key });
  expect(await api.call('GET', `/webhooks/${own.id}/health`, { key: own.key })).toMatchObject({ status: 404 });
});
