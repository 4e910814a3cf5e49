import { mailsAbout } from '../../domains/notifications/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeProgram } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

it('changes only the given fields', async () => {
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
])('%s in %j is rejected, and nothing changes', async (path, body) => {
  const { key, id } = await makeEndpoint(api);
  const before = (await api.call('GET', `/webhooks/${id}`, { key })).data;
  const response = await api.call('PATCH', `/webhooks/${id}`, { key, body });
  expect(response).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR', details: { issues: [{ path }] } } });
  expect((await api.call('GET', `/webhooks/${id}`, { key })).data).toEqual(before);
});

describe('SE5: another origin', () => {
  const SECRETS = { authorization: 'Bearer s3cret-of-the-receiver', 'x-tenant': 'acme' };

  /** An endpoint with stored headers and a replaced secret that still signs. */
  const begin = async () => {
    const own = await makeEndpoint(api);
    const patch = (body: unknown) => api.call('PATCH', `/webhooks/${own.id}`, { key: own.key, body });
    await api.call('PATCH', `/webhooks/${own.id}/settings`, { key: own.key, body: { headers: SECRETS } });
    await api.call('POST', `/webhooks/${own.id}/rotate-secret`, { key: own.key });
    const headers = async () =>
      Object.keys((await api.call('GET', `/webhooks/${own.id}/settings`, { key: own.key })).data.headers).sort();
    const secrets = () => rowsOf(api, 'select id from webhook_secret where endpoint_id = ?', [own.id]);
    const mails = async () => (await mailsAbout(api.runtime, own.id)).filter(({ kind }) => kind === 'webhook_origin_changed');
    return { ...own, patch, headers, secrets, mails };
  };

  it.each([
    ['host', 'https://1.0.0.1/hook'],
    ['port', 'https://1.1.1.1:8443/hook'],
  ])(
    'a URL of another %s gets neither the stored headers nor signatures of replaced secrets, and the merchant is told',
    async (_what, url) => {
      const { patch, headers, secrets, mails } = await begin();
      expect(await secrets()).toHaveLength(2);
      expect((await patch({ url })).status).toBe(200);
      expect(await headers()).toEqual([]);
      expect(await secrets()).toHaveLength(1);
      const [mail, ...others] = await mails();
      expect(others).toEqual([]);
      expect(mail?.text).toContain(new URL(url).origin);
      expect(mail?.text).toContain('authorization, x-tenant');
      expect(mail?.text).not.toContain('s3cret');
    },
  );

  it('gets some of the headers anew only', async () => {
    const { patch, headers, secrets } = await begin();
    await patch({ url: 'https://1.0.0.1/hook', headers: { 'X-Tenant': 'acme' } });
    expect(await headers()).toEqual(['x-tenant']);
    expect(await secrets()).toHaveLength(1);
  });

  it('keeps all when the request names all headers anew', async () => {
    const { patch, headers, secrets, mails } = await begin();
    const body = { url: 'https://1.0.0.1/hook', headers: { AUTHORIZATION: 'Bearer other', 'x-tenant': 'acme' } };
    expect((await patch(body)).status).toBe(200);
    expect(await headers()).toEqual(['authorization', 'x-tenant']);
    expect(await secrets()).toHaveLength(2);
    expect(await mails()).toHaveLength(1);
  });

  it('another path is no other origin: all stays', async () => {
    const { patch, headers, secrets, mails } = await begin();
    await patch({ url: 'https://1.1.1.1/other?x=1' });
    expect(await headers()).toEqual(['authorization', 'x-tenant']);
    expect(await secrets()).toHaveLength(2);
    expect(await mails()).toEqual([]);
  });

  it('and back again: the headers do not return', async () => {
    const { patch, headers } = await begin();
    await patch({ url: 'https://1.0.0.1/hook' });
    await patch({ url: 'https://1.1.1.1/hook' });
    expect(await headers()).toEqual([]);
  });

  it('takes no reserved header', async () => {
    const { patch, headers } = await begin();
    expect((await patch({ url: 'https://1.0.0.1/hook', headers: { Host: 'x' } })).status).toBe(422);
    expect(await headers()).toEqual(['authorization', 'x-tenant']);
  });
});
