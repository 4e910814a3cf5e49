import { replayNextEvents } from '../../../src/domains/webhooks/use-cases/replay-next-events.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { until } from '../../support/until.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

const begin = async () => {
  const { key, id } = await makeEndpoint(api);
  const since = new Date(Date.now() - 60_000).toISOString();
  const { data } = await api.call('POST', `/webhooks/${id}/replay`, { key, body: { since } });
  return { key, id: data.id as string };
};

const cancel = ({ id, key }: { id: string; key: string }) => api.call('POST', `/webhook-replays/${id}/cancel`, { key });

const step = (replayId: string) =>
  until(
    'the replay need not wait for older transactions',
    () => replayNextEvents(api.runtime.context({ kind: 'system', name: 'test' }), { replayId, limit: 500 }),
    ({ waitMs }) => waitMs === 0,
  );

it('ends a running replay, whose next batch does nothing; cancelling again changes nothing', async () => {
  const own = await begin();
  const first = await cancel(own);
  expect(first).toMatchObject({ status: 200, data: { state: 'cancelled', cancelReason: 'requested' } });
  expect(first.data.completedAt).not.toBeNull();
  expect(await step(own.id)).toMatchObject({ state: 'cancelled', eventsExamined: 0 });
  expect((await cancel(own)).data).toEqual(first.data);
});

it("a completed replay is 409 and another merchant's 403", async () => {
  const own = await begin();
  expect((await cancel({ id: own.id, key: (await makeMerchant(api.runtime)).key })).status).toBe(403);
  expect(await step(own.id)).toMatchObject({ state: 'completed' });
  expect(await cancel(own)).toMatchObject({ status: 409, error: { details: { reason: 'ILLEGAL_TRANSITION' } } });
  expect((await api.call('GET', `/webhook-replays/${own.id}`, { key: own.key })).data.state).toBe('completed');
});
