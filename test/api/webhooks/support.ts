import type { TestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';

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
