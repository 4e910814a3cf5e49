import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

const rotate = (key: string, id: string, more: object = {}) =>
  api.call('POST', `/webhooks/${id}/rotate-secret`, { key, ...more });

it('returns the endpoint and a new secret', async () => {
  const { key, id, signingSecret } = await makeEndpoint(api);
  const before = (await api.call('GET', `/webhooks/${id}`, { key })).data;
  const response = await rotate(key, id);
  expect(response.status).toBe(200);
  expect(Object.keys(response.data).sort()).toEqual(['endpoint', 'signingSecret']);
  expect(response.data.signingSecret).toMatch(/^whsec_[A-Za-z0-9]{43}=$/);
  expect(response.data.signingSecret).not.toBe(signingSecret);
  expect(response.data.endpoint).toEqual({
    ...before,
    secretLastFour: response.data.signingSecret.slice(-4),
    updatedAt: expect.any(String),
  });
  expect(response.meta).toEqual({ requestId: expect.any(String) });
  expect((await api.call('GET', `/webhooks/${id}`, { key })).data).toEqual(response.data.endpoint);
});

it('leaves a disabled endpoint disabled', async () => {
  const { key, id } = await makeEndpoint(api);
  const { data: disabled } = await api.call('POST', `/webhooks/${id}/disable`, { key });
  const response = await rotate(key, id);
  expect(response).toMatchObject({ status: 200, data: { endpoint: { status: 'disabled', disabledAt: disabled.disabledAt } } });
});

it('issues another secret on each call, and the same one for a retry with the same Idempotency-Key', async () => {
  const { key, id } = await makeEndpoint(api);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await rotate(key, id, { headers });
  const repeated = await rotate(key, id, { headers });
  const second = await rotate(key, id);
  expect(repeated.text).toBe(first.text);
  expect(repeated.headers['idempotency-replayed']).toBe('true');
  expect(second.data.signingSecret).not.toBe(first.data.signingSecret);
});

it('accepts only an empty body', async () => {
  const { key, id } = await makeEndpoint(api);
  expect((await rotate(key, id, { body: {} })).status).toBe(200);
  expect(await rotate(key, id, { body: { graceHours: 0 } })).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', details: { reason: 'BODY_NOT_ALLOWED' } },
  });
});
