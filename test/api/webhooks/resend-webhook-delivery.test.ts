import { MAX_OPEN_RESENDS, MAX_RESENDS } from '../../../src/contracts/limits.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

const makeDelivery = async () => {
  const endpoint = await makeEndpoint(api);
  const { data } = await api.call('POST', `/webhooks/${endpoint.id}/test`, { key: endpoint.key });
  const deliveryId = data.id as string;
  const resend = (key = endpoint.key) => api.call('POST', `/webhook-deliveries/${deliveryId}/resend`, { key });
  const read = async () => (await api.call('GET', `/webhook-deliveries/${deliveryId}`, { key: endpoint.key })).data;
  const requested = async () =>
    (
      await rowsOf(api, `select suffix from outbox where topic = 'webhook.deliver' and subject_id = ? order by seq`, [deliveryId])
    ).map(({ suffix }) => suffix);
  return { ...endpoint, endpointId: endpoint.id, deliveryId, resend, read, requested };
};

it.each(['pending', 'parked', 'succeeded', 'exhausted', 'cancelled'])(
  'requests one attempt of a delivery that is %s, and returns the delivery as it is',
  async (status) => {
    const { deliveryId, resend, read, requested } = await makeDelivery();
    await rowsOf(api, 'update webhook_delivery set status = ? where id = ?', [status, deliveryId]);
    const before = await read();
    const response = await resend();
    expect(response).toMatchObject({ status: 200, data: { id: deliveryId, status, attempts: [] } });
    expect(response.data).toEqual(before);
    expect(await requested()).toEqual(['/m1']);
  },
);

it('a second request before the attempt has an outcome starts nothing; a later one starts another attempt', async () => {
  const { deliveryId, resend, requested } = await makeDelivery();
  const [first, second] = await Promise.all([resend(), resend()]);
  expect([first?.status, second?.status]).toEqual([200, 200]);
  expect(second?.data).toEqual(first?.data);
  expect(await requested()).toEqual(['/m1']);
  await rowsOf(api, `delete from outbox where subject_id = ?`, [deliveryId]);
  await resend();
  expect(await requested()).toEqual([]);
  await rowsOf(api, 'update webhook_delivery set resend_requested_at = null where id = ?', [deliveryId]);
  await resend();
  expect(await requested()).toEqual(['/m2']);
});

it('responds 409 while the endpoint is disabled, after it was deleted, and after too many resends, and requests nothing', async () => {
  const { key, endpointId, deliveryId, resend, requested } = await makeDelivery();
  await rowsOf(api, 'update webhook_delivery set resend_count = ? where id = ?', [MAX_RESENDS, deliveryId]);
  const often = await resend();
  expect(often).toMatchObject({ status: 409, error: { details: { reason: 'TOO_MANY_RESENDS', limit: MAX_RESENDS } } });
  await api.call('POST', `/webhooks/${endpointId}/disable`, { key });
  expect(await resend()).toMatchObject({ status: 409, error: { code: 'CONFLICT', details: { reason: 'ENDPOINT_DISABLED' } } });
  await api.call('DELETE', `/webhooks/${endpointId}`, { key });
  expect(await resend()).toMatchObject({ status: 409, error: { code: 'CONFLICT', details: { reason: 'ENDPOINT_DELETED' } } });
  expect(await requested()).toEqual([]);
});

it('responds 409 while many resends of the endpoint have no outcome', async () => {
  const { key, endpointId, deliveryId, resend, requested } = await makeDelivery();
  for (let n = 0; n < MAX_OPEN_RESENDS; n++) await api.call('POST', `/webhooks/${endpointId}/test`, { key });
  await rowsOf(api, 'update webhook_delivery set resend_requested_at = now() where endpoint_id = ? and id <> ?', [
    endpointId,
    deliveryId,
  ]);
  expect(await resend()).toMatchObject({
    status: 409,
    error: { details: { reason: 'TOO_MANY_RESENDS', limit: MAX_OPEN_RESENDS } },
  });
  await rowsOf(
    api,
    'update webhook_delivery set resend_requested_at = null where id = (select id from webhook_delivery where endpoint_id = ? and id <> ? limit 1)',
    [endpointId, deliveryId],
  );
  expect((await resend()).status).toBe(200);
  expect(await requested()).toEqual(['/m1']);
});

it('responds 403 for the delivery of another merchant, 404 for a missing one, and 403 without webhooks:write', async () => {
  const { merchantId, resend, requested } = await makeDelivery();
  const other = await makeMerchant(api.runtime);
  expect(await resend(other.key)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  const missing = '/webhook-deliveries/0198f1c2-7a4e-7c31-9f0a-000000000000/resend';
  expect(await api.call('POST', missing, { key: other.key })).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  const reader = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['webhooks:read'] });
  expect(await resend(reader.key)).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
  expect(await requested()).toEqual([]);
});
