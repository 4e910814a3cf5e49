import { WEBHOOK_EVENTS } from '../../../src/api/webhook-events.ts';
import { EVENT_TYPES, EXTENDED_EVENT_TYPES } from '../../../src/contracts/events.ts';
import { remindPayout } from '../../../src/domains/payouts/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { until } from '../../support/until.ts';
import { addEndpoint } from './support.ts';

const api = useTestApi();

const begin = async () => {
  const payout = await makeManualPayout(api);
  const { key, merchantId } = payout;
  const endpoint = await addEndpoint(api, key, { subscribedEvents: ['program.created'] });
  const set = (extendedEvents: unknown, id = endpoint.id) =>
    api.call('PATCH', `/webhooks/${id}/settings`, { key, body: { extendedEvents } });
  const overdue = () =>
    remindPayout(api.runtime.context({ kind: 'system', name: 'test' }), { payoutId: payout.payoutId, reminder: 3, last: true });
  const received = async (id = endpoint.id): Promise<string[]> =>
    (await api.call('GET', `/webhooks/${id}/deliveries`, { key })).data.map(({ eventType }: { eventType: string }) => eventType);
  return { ...payout, merchantId, key, endpoint, set, overdue, received };
};

it('IN11: an endpoint gets an extended event when its settings name it, or all; others do not', async () => {
  const { key, endpoint, set, overdue, received } = await begin();
  const [every, other, without] = [await addEndpoint(api, key), await addEndpoint(api, key), await addEndpoint(api, key)];
  expect((await set(['payout.needs_attention'])).data.extendedEvents).toEqual(['payout.needs_attention']);
  expect((await set(['*'], every.id)).data.extendedEvents).toEqual(['*']);
  await set(['payout.returned'], other.id);
  await overdue();
  expect(await received()).toEqual(['payout.needs_attention']);
  expect(await received(every.id)).toEqual(['payout.needs_attention']);
  expect([await received(other.id), await received(without.id)]).toEqual([[], []]);
  const { data } = await api.call('GET', `/webhooks/${endpoint.id}`, { key });
  expect(data.subscribedEvents).toEqual(['program.created']);
  expect(data).not.toHaveProperty('extendedEvents');
});

it('IN11: subscribedEvents takes the published types only, and extendedEvents the others', async () => {
  const { key, endpoint, set } = await begin();
  const refused = await api.call('PATCH', `/webhooks/${endpoint.id}`, {
    key,
    body: { subscribedEvents: ['payout.needs_attention'] },
  });
  expect([refused.status, refused.error.code]).toEqual([422, 'VALIDATION_ERROR']);
  for (const types of [['payout.created'], ['*', 'payout.returned'], ['payout.*'], 'payout.returned', null, [null], [1]]) {
    expect((await set(types)).status).toBe(422);
  }
  expect((await set(['payout.returned', 'payout.returned'])).data.extendedEvents).toEqual(['payout.returned']);
  expect((await set([])).data.extendedEvents).toEqual([]);
  const { data } = await api.call('GET', `/webhooks/${endpoint.id}/settings`, { key });
  expect(data.extendedEvents).toEqual([]);
});

it('IN11: events are listed with extended=true or by name; their data follows the scopes of the key', async () => {
  const { key, merchantId, overdue, payoutId } = await begin();
  await overdue();
  const typesOf = async (query: Record<string, string>, by = key): Promise<string[]> =>
    (await api.call('GET', '/events', { key: by, query })).data.map(({ type }: { type: string }) => type);
  await until(
    'the payout that needs attention is listed',
    () => typesOf({ extended: 'true' }),
    (types) => types.includes('payout.needs_attention'),
  );
  const published = await typesOf({});
  expect(published).not.toContain('payout.needs_attention');
  expect(await typesOf({ extended: 'false' })).toEqual(published);
  const all = await typesOf({ extended: 'true', limit: '100' });
  const extended: readonly string[] = EXTENDED_EVENT_TYPES;
  expect(all.filter((type) => !extended.includes(type))).toEqual(published);
  expect(all.filter((type) => extended.includes(type))).toEqual(['conversion.approved', 'payout.needs_attention']);
  expect(await typesOf({ types: 'payout.needs_attention' })).toEqual(['payout.needs_attention']);
  expect(await typesOf({ types: 'payout.created', extended: 'true' })).toEqual(['payout.created']);
  expect((await api.call('GET', '/events', { key, query: { extended: 'yes' } })).status).toBe(400);
  const { key: narrow } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['webhooks:read'] });
  const { data, meta } = await api.call('GET', '/events', { key: narrow, query: { types: 'payout.needs_attention' } });
  expect(data).toMatchObject([{ type: 'payout.needs_attention', subjectId: payoutId }]);
  expect([data[0].data, meta.withheld]).toEqual([undefined, ['payout.needs_attention']]);
});

it('IN11: pages of all events follow each other without a gap', async () => {
  const { key, overdue } = await begin();
  await overdue();
  const list = (query: Record<string, string>) => api.call('GET', '/events', { key, query: { extended: 'true', ...query } });
  const all = await until(
    'the payout that needs attention is listed',
    () => list({ limit: '100' }),
    ({ data }) => data.some(({ type }: { type: string }) => type === 'payout.needs_attention'),
  );
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { data, meta } = await list({ limit: '1', ...(after === undefined ? {} : { after }) });
    ids.push(...data.map(({ id }: { id: string }) => id));
    after = meta.nextCursor;
    if (!meta.hasMore) break;
  }
  expect(ids).toEqual(all.data.map(({ id }: { id: string }) => id));
});

it('IN11: a replay sends extended events to an endpoint that asked for them later', async () => {
  const { key, endpoint, set, overdue } = await begin();
  await overdue();
  const replay = (body: object = {}) =>
    api.call('POST', `/webhooks/${endpoint.id}/replay`, {
      key,
      body: { since: new Date(Date.now() - 60_000).toISOString(), ...body },
    });
  expect((await replay({ types: ['payout.needs_attention'] })).status).toBe(422);
  await set(['*']);
  expect((await replay()).data.types).toEqual(['program.created', ...EXTENDED_EVENT_TYPES]);
});

it('IN11: a test delivery sends the example of an extended type', async () => {
  const { key, endpoint } = await begin();
  for (const type of EXTENDED_EVENT_TYPES) {
    const { data } = await api.call('POST', `/webhooks/${endpoint.id}/test`, { key, body: { type } });
    const [stored] = await rowsOf(
      api,
      `select extended, convert_from(body, 'UTF8')::jsonb as body from webhook_event where id = ?`,
      [data.eventId],
    );
    expect(stored?.body).toMatchObject({ type, test: true, data: WEBHOOK_EVENTS[type].example });
  }
});

it('IN11: the lists of event types keep the published ones apart', async () => {
  const { key } = await begin();
  const { data } = await api.call('GET', '/meta');
  expect([data.eventTypes, data.extendedEventTypes]).toEqual([[...EVENT_TYPES], [...EXTENDED_EVENT_TYPES]]);
  const listed: { type: string; extended: boolean }[] = (await api.call('GET', '/event-types', { key })).data;
  expect(listed.filter(({ extended }) => extended).map(({ type }) => type)).toEqual([...EXTENDED_EVENT_TYPES]);
  expect(listed.filter(({ extended }) => !extended).map(({ type }) => type)).toEqual([...EVENT_TYPES]);
});
