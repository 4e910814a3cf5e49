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

/** A merchant of its own with one endpoint. */
export const makeEndpoint = async (api: TestApi, more: Record<string, unknown> = {}): Promise<OwnEndpoint> => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  return { merchantId, key, ...(await addEndpoint(api, key, more)) };
};

export const addEndpoint = async (api: TestApi, key: string, more: Record<string, unknown> = {}) => {
  const made = await api.call('POST', '/webhooks', { key, body: endpointBody(more) });
  if (made.status !== 201) throw new Error(`no endpoint: ${made.text}`);
  return { id: made.data.endpoint.id as string, signingSecret: made.data.signingSecret as string };
};

interface Door {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  scope: MerchantScope;
  body?: unknown;
}

/** Who is turned away at the door of an operation, whatever it does. */
export const itNeedsTheRightKey = (api: () => TestApi, door: Door): void => {
  const path = door.path.replace('{id}', randomUUID());
  const call = (key?: string) => api().call(door.method, path, { key, body: door.body });

  it('needs a key', async () => {
    expect(await call()).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
  });

  it(`needs the scope ${door.scope}`, async () => {
    const { merchantId } = await makeMerchant(api().runtime);
    const { key } = await makeKey(api().runtime, { ownerId: merchantId, scopes: ['merchant:read', 'programs:write'] });
    expect(await call(key)).toMatchObject({
      status: 403,
      error: { code: 'INSUFFICIENT_SCOPE', details: { required: door.scope, granted: expect.any(Array) } },
    });
  });

  it('needs a merchant key', async () => {
    const { key } = await makeKey(api().runtime, { ownerId: randomUUID(), keyType: 'affiliate' });
    expect(await call(key)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  });
};

/** What an operation on one endpoint answers when that endpoint is not the caller's to name. */
export const itChecksTheEndpoint = (api: () => TestApi, door: Door): void => {
  const call = (key: string, id: string) => api().call(door.method, door.path.replace('{id}', id), { key, body: door.body });

  it('answers 400 for an id that is no UUID', async () => {
    const { key } = await makeMerchant(api().runtime);
    expect(await call(key, 'abc')).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
  });

  it('answers 404 for an endpoint that is not there', async () => {
    const { key } = await makeMerchant(api().runtime);
    expect(await call(key, randomUUID())).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });

  it('answers 403 for an endpoint of somebody else, and changes nothing', async () => {
    const owner = await makeEndpoint(api());
    const before = await api().call('GET', `/webhooks/${owner.id}`, { key: owner.key });
    const { key } = await makeMerchant(api().runtime);
    expect(await call(key, owner.id)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
    expect((await api().call('GET', `/webhooks/${owner.id}`, { key: owner.key })).data).toEqual(before.data);
  });

  it('answers 404 for an endpoint that was deleted', async () => {
    const owner = await makeEndpoint(api());
    await api().call('DELETE', `/webhooks/${owner.id}`, { key: owner.key });
    expect(await call(owner.key, owner.id)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });
};
