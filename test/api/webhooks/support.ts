import { randomUUID } from 'node:crypto';
import type { MerchantScope } from '../../../src/contracts/scopes.ts';
import type { TestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

export const HOOK_URL = 'https://1.1.1.1/hook';

export const endpointBody = (more: Record<string, unknown> = {}) => ({
  name: 'Orders',
  url: HOOK_URL,
  subscribedEvents: ['payout.completed', 'conversion.created'],
  ...more,
});

export interface OwnEndpoint {
  merchantId: string;
  key: string;
  id: string;
  signingSecret: string;
}

/** Creates a merchant with one endpoint. */
export const makeEndpoint = async (api: TestApi, more: Record<string, unknown> = {}): Promise<OwnEndpoint> => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  return { merchantId, key, ...(await addEndpoint(api, key, more)) };
};

export const addEndpoint = async (api: TestApi, key: string, more: Record<string, unknown> = {}) => {
  const made = await api.call('POST', '/webhooks', { key, body: endpointBody(more) });
  if (made.status !== 201) throw new Error(`no endpoint: ${made.text}`);
  return { id: made.data.endpoint.id as string, signingSecret: made.data.signingSecret as string };
};

interface EndpointCase {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  scope: MerchantScope;
  body?: unknown;
}

/** Access checks of an operation. */
export const itNeedsTheRightKey = (api: () => TestApi, endpointCase: EndpointCase): void => {
  const path = endpointCase.path.replace('{id}', randomUUID());
  const call = (key?: string) => api().call(endpointCase.method, path, { key, body: endpointCase.body });

  it('needs a key', async () => {
    expect(await call()).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
  });

  it(`needs the scope ${endpointCase.scope}`, async () => {
    const { merchantId } = await makeMerchant(api().runtime);
    const { key } = await makeKey(api().runtime, { ownerId: merchantId, scopes: ['merchant:read', 'programs:write'] });
    expect(await call(key)).toMatchObject({
      status: 403,
      error: { code: 'INSUFFICIENT_SCOPE', details: { required: endpointCase.scope, granted: expect.any(Array) } },
    });
  });

  it('needs a merchant key', async () => {
    const { key } = await makeKey(api().runtime, { ownerId: randomUUID(), keyType: 'affiliate' });
    expect(await call(key)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  });
};

/** Responses for an endpoint that the caller cannot access. */
export const itChecksTheEndpoint = (api: () => TestApi, endpointCase: EndpointCase): void => {
  const call = (key: string, id: string) =>
    api().call(endpointCase.method, endpointCase.path.replace('{id}', id), { key, body: endpointCase.body });

  it('returns 400 for an id that is not a UUID', async () => {
    const { key } = await makeMerchant(api().runtime);
    expect(await call(key, 'abc')).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
  });

  it('returns 404 for a missing endpoint', async () => {
    const { key } = await makeMerchant(api().runtime);
    expect(await call(key, randomUUID())).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });

  it('returns 403 for another merchant’s endpoint, and changes nothing', async () => {
    const owner = await makeEndpoint(api());
    const before = await api().call('GET', `/webhooks/${owner.id}`, { key: owner.key });
    const { key } = await makeMerchant(api().runtime);
    expect(await call(key, owner.id)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
    expect((await api().call('GET', `/webhooks/${owner.id}`, { key: owner.key })).data).toEqual(before.data);
  });

  it('returns 404 for a deleted endpoint', async () => {
    const owner = await makeEndpoint(api());
    await api().call('DELETE', `/webhooks/${owner.id}`, { key: owner.key });
    expect(await call(owner.key, owner.id)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });
};
