import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { addEndpoint, makeEndpoint } from './support.ts';

const api = useTestApi();

const act = (key: string, id: string, action: string, more: object = {}) =>
  api.call('POST', `/webhooks/${id}/${action}`, { key, ...more });
const secretsOf = (id: string) =>
  rowsOf(api, 'select id, expires_at from webhook_secret where endpoint_id = ? order by created_at, id', [id]);

it('keeps the current secret only, and returns the endpoint unchanged', async () => {
  const { key, id } = await makeEndpoint(api);
  for (let n = 0; n < 2; n += 1) await act(key, id, 'rotate-secret');
  const { data: before } = await api.call('GET', `/webhooks/${id}`, { key });
  expect(await secretsOf(id)).toHaveLength(3);
  expect(await act(key, id, 'revoke-old-secrets')).toMatchObject({ status: 200, data: before });
  expect(await secretsOf(id)).toEqual([{ id: expect.any(String), expires_at: null }]);
  expect((await api.call('GET', `/webhooks/${id}`, { key })).data).toEqual(before);
});

it('changes nothing without old secrets, also when it is repeated', async () => {
  const { key, id } = await makeEndpoint(api);
  const before = await secretsOf(id);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await act(key, id, 'revoke-old-secrets', { headers });
  const replayed = await act(key, id, 'revoke-old-secrets', { headers });
  expect([first.status, replayed.text]).toEqual([200, first.text]);
  expect(await act(key, id, 'revoke-old-secrets')).toMatchObject({ status: 200, data: first.data });
  expect(await secretsOf(id)).toEqual(before);
});

it('leaves the secrets of other endpoints', async () => {
  const { key, id } = await makeEndpoint(api);
  const other = await addEndpoint(api, key);
  for (const endpoint of [id, other.id]) await act(key, endpoint, 'rotate-secret');
  await act(key, id, 'revoke-old-secrets');
  expect(await secretsOf(other.id)).toHaveLength(2);
});

it('leaves a disabled endpoint disabled, and responds 404 for a deleted one', async () => {
  const { key, id } = await makeEndpoint(api);
  await act(key, id, 'rotate-secret');
  await act(key, id, 'disable');
  expect(await act(key, id, 'revoke-old-secrets')).toMatchObject({ status: 200, data: { status: 'disabled' } });
  expect(await secretsOf(id)).toHaveLength(1);
  await api.call('DELETE', `/webhooks/${id}`, { key });
  expect(await act(key, id, 'revoke-old-secrets')).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
});

it('rotations at the same time leave one current secret, whichever comes first', async () => {
  const { key, id } = await makeEndpoint(api);
  await act(key, id, 'rotate-secret');
  const done = await Promise.all(['rotate-secret', 'revoke-old-secrets', 'rotate-secret'].map((action) => act(key, id, action)));
  expect(done.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await secretsOf(id)).filter(({ expires_at }) => expires_at === null)).toHaveLength(1);
  await act(key, id, 'revoke-old-secrets');
  expect(await secretsOf(id)).toHaveLength(1);
});
