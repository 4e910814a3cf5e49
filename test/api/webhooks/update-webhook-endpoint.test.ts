import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { itChecksTheEndpoint, itNeedsTheRightKey, makeEndpoint } from './support.ts';

const api = useTestApi();

const door = { method: 'PATCH', path: '/webhooks/{id}', scope: 'webhooks:write', body: { name: 'Other' } } as const;
itNeedsTheRightKey(() => api, door);
itChecksTheEndpoint(() => api, door);

it('changes what is named and nothing else', async () => {
  const { key, id } = await makeEndpoint(api);
  const { programId } = await makeProgram(api, key);
  const patch = async (body: unknown) => (await api.call('PATCH', `/webhooks/${id}`, { key, body })).data;
  const before = (await api.call('GET', `/webhooks/${id}`, { key })).data;
  const renamed = await patch({ name: 'Billing' });
  expect(renamed).toEqual({ ...before, name: 'Billing', updatedAt: expect.any(String) });
  expect(await patch({ programId, schemaVersion: 2 })).toMatchObject({ name: 'Billing', programId });
  expect(await patch({ programId: null })).toMatchObject({ programId: null });
  expect(await patch({ url: 'https://1.0.0.1/new', subscribedEvents: ['flag.resolved'] })).toMatchObject({
    url: 'https://1.0.0.1/new',
    subscribedEvents: ['flag.resolved'],
    secretLastFour: before.secretLastFour,
  });
});

it.each([
  ['status', { status: 'disabled' }],
  ['url', { url: 'https://127.0.0.2/' }],
  ['url', { url: 'http://1.1.1.1/' }],
  ['subscribedEvents', { subscribedEvents: [] }],
  ['schemaVersion', { schemaVersion: 3 }],
  ['disabledAt', { disabledAt: null }],
])('%s in %j is refused, and nothing changes', async (path, body) => {
  const { key, id } = await makeEndpoint(api);
  const before = (await api.call('GET', `/webhooks/${id}`, { key })).data;
  const answer = await api.call('PATCH', `/webhooks/${id}`, { key, body });
  expect(answer).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR', details: { issues: [{ path }] } } });
  expect((await api.call('GET', `/webhooks/${id}`, { key })).data).toEqual(before);
});

it('answers 404 for a missing program and 403 for somebody else’s', async () => {
  const { key, id } = await makeEndpoint(api);
  const patch = (programId: string) => api.call('PATCH', `/webhooks/${id}`, { key, body: { programId } });
  expect(await patch(randomUUID())).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  const stranger = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, stranger.key);
  expect(await patch(programId)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
});
