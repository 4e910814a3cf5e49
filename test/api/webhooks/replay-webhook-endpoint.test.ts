import { MAX_REPLAYS_PER_DAY, MAX_RUNNING_REPLAYS } from '../../../src/contracts/limits.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/clock.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { addEndpoint, makeEndpoint } from './support.ts';

const api = useTestApi();

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

const startReplay = ({ id, key }: { id: string; key: string }, body: object = { since: ago(HOUR_MS) }) =>
  api.call('POST', `/webhooks/${id}/replay`, { key, body });

const countReplays = async (endpointId: string): Promise<number> =>
  (await rowsOf(api, 'select id from webhook_replay where endpoint_id = ?', [endpointId])).length;

it('starts a replay of what is missing and exhausted, of the types that the endpoint subscribes to, until now', async () => {
  const own = await makeEndpoint(api);
  const since = ago(HOUR_MS);
  const { status, data } = await startReplay(own, { since });
  expect(status).toBe(201);
  expect(data).toEqual({
    id: expect.any(String),
    endpointId: own.id,
    since,
    until: data.createdAt,
    status: ['missing', 'exhausted'],
    types: ['payout.completed', 'conversion.created'],
    state: 'running',
    cancelReason: null,
    eventsExamined: 0,
    deliveriesQueued: 0,
    createdAt: expect.any(String),
    completedAt: null,
  });
  const started = await rowsOf(api, 'select topic from outbox where subject_id = ?', [data.id]);
  expect(started).toEqual([{ topic: 'webhook.replay' }]);
});

it('replays each requested type and status once, from the oldest event that is kept at the earliest', async () => {
  const own = await makeEndpoint(api);
  const body = { since: ago(400 * DAY_MS), until: ago(DAY_MS), status: ['succeeded', 'succeeded'], types: ['payout.completed'] };
  const { data } = await startReplay(own, body);
  expect(data).toMatchObject({ until: body.until, status: ['succeeded'], types: ['payout.completed'] });
  expect(Math.abs(Date.parse(data.since) - (Date.parse(data.createdAt) - 90 * DAY_MS))).toBeLessThanOrEqual(1);
});

it.each([
  ['since', { since: new Date(Date.now() + HOUR_MS).toISOString() }],
  ['until', { since: ago(HOUR_MS), until: new Date(Date.now() + HOUR_MS).toISOString() }],
  ['until', { since: ago(HOUR_MS), until: ago(2 * HOUR_MS) }],
  ['until', { since: ago(400 * DAY_MS), until: ago(100 * DAY_MS) }],
  ['types', { since: ago(HOUR_MS), types: ['payout.failed'] }],
  ['types', { since: ago(HOUR_MS), types: [] }],
  ['status.0', { since: ago(HOUR_MS), status: ['pending'] }],
  ['status', { since: ago(HOUR_MS), status: [] }],
  ['since', {}],
])('an invalid %s is 422 and starts nothing', async (path, body) => {
  const own = await makeEndpoint(api);
  const { status, error } = await startReplay(own, body);
  expect({ status, code: error.code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
  expect(error.details.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  expect(await countReplays(own.id)).toBe(0);
});

it('responds 409 for a disabled endpoint', async () => {
  const own = await makeEndpoint(api);
  await api.call('POST', `/webhooks/${own.id}/disable`, { key: own.key });
  expect(await startReplay(own)).toMatchObject({ status: 409, error: { details: { reason: 'ENDPOINT_DISABLED' } } });
  expect(await countReplays(own.id)).toBe(0);
});

it('runs one replay of an endpoint at a time, also for requests at the same time', async () => {
  const own = await makeEndpoint(api);
  const responses = await Promise.all(Array.from({ length: 4 }, () => startReplay(own)));
  const refused = responses.filter(({ status }) => status === 409);
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  const running = responses.find(({ status }) => status === 201)?.data.id;
  for (const { error } of refused) expect(error.details).toEqual({ reason: 'REPLAY_IN_PROGRESS', replayId: running });
  await api.call('POST', `/webhook-replays/${running}/cancel`, { key: own.key });
  expect((await startReplay(own)).status).toBe(201);
});

it('a merchant has five running replays at most, also for requests at the same time', async () => {
  const own = await makeEndpoint(api);
  const made = await Promise.all(Array.from({ length: MAX_RUNNING_REPLAYS + 3 }, () => addEndpoint(api, own.key)));
  const responses = await Promise.all(made.map(({ id }) => startReplay({ id, key: own.key })));
  const refused = responses.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(3);
  for (const { error } of refused) {
    expect(error.details).toEqual({ reason: 'TOO_MANY_REPLAYS', limit: MAX_RUNNING_REPLAYS });
  }
});

it('a merchant starts at most 100 replays in 24 hours', async () => {
  const own = await makeEndpoint(api);
  const first = (await startReplay(own)).data.id;
  await api.call('POST', `/webhook-replays/${first}/cancel`, { key: own.key });
  await rowsOf(
    api,
    `insert into webhook_replay (id, endpoint_id, merchant_id, since, until, types, statuses, state, cancel_reason, last_event_id,
        created_at, updated_at, completed_at)
      select uuidv7(), endpoint_id, merchant_id, since, until, types, statuses, state, cancel_reason, last_event_id,
        created_at - n * interval '10 minutes', updated_at, completed_at
      from webhook_replay, generate_series(1, ?) n where id = ? returning id`,
    [MAX_REPLAYS_PER_DAY - 1, first],
  );
  expect(await startReplay(own)).toMatchObject({
    status: 409,
    error: { details: { reason: 'TOO_MANY_REPLAYS', limit: MAX_REPLAYS_PER_DAY } },
  });
  await rowsOf(
    api,
    `update webhook_replay set created_at = created_at - interval '10 hours' where endpoint_id = ? returning id`,
    [own.id],
  );
  expect((await startReplay(own)).status).toBe(201);
});

it("another merchant's endpoint is 403 and a deleted one 404", async () => {
  const own = await makeEndpoint(api);
  const { key } = await makeMerchant(api.runtime);
  expect((await startReplay({ id: own.id, key })).status).toBe(403);
  await api.call('DELETE', `/webhooks/${own.id}`, { key: own.key });
  expect((await startReplay(own)).status).toBe(404);
  expect(await countReplays(own.id)).toBe(0);
});
