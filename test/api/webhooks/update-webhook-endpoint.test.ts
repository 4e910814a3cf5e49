import { useTestApi } from '../../support/api.ts';
import { makeProgram } from '../../support/factories.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

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
