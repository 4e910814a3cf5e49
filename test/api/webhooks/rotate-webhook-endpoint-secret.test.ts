import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

const rotate = (key: string, id: string, more: object = {}) =>
  api.call('POST', `/webhooks/${id}/rotate-secret`, { key, ...more });

it('answers the endpoint and a newly issued secret', async () => {
  const { key, id, signingSecret } = await makeEndpoint(api);
  const before = (await api.call('GET', `/webhooks/${id}`, { key })).data;
  const answer = await rotate(key, id);
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.data).sort()).toEqual(['endpoint', 'signingSecret']);
  expect(answer.data.signingSecret).toMatch(/^whsec_[A-Za-z0-9]{43}=$/);
  expect(answer.data.signingSecret).not.toBe(signingSecret);
  expect(answer.data.endpoint).toEqual({
    ...before,
    secretLastFour: answer.data.signingSecret.slice(-4),
    updatedAt: expect.any(String),
  });
  expect(answer.meta).toEqual({ requestId: expect.any(String) });
  expect((await api.call('GET', `/webhooks/${id}`, { key })).data).toEqual(answer.data.endpoint);
});

it('leaves a disabled endpoint disabled', async () => {
  const { key, id } = await makeEndpoint(api);
  const { data: disabled } = await api.call('POST', `/webhooks/${id}/disable`, { key });
  const answer = await rotate(key, id);
  expect(answer).toMatchObject({ status: 200, data: { endpoint: { status: 'disabled', disabledAt: disabled.disabledAt } } });
});

it('issues another secret on each call, and the same one to a repeated Idempotency-Key', async () => {
  const { key, id } = await makeEndpoint(api);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await rotate(key, id, { headers });
  const repeated = await rotate(key, id, { headers });
  const second = await rotate(key, id);
  expect(repeated.text).toBe(first.text);
  expect(repeated.headers['idempotency-replayed']).toBe('true');
  expect(second.data.signingSecret).not.toBe(first.data.signingSecret);
});

it('takes no body but an empty one', async () => {
  const { key, id } = await makeEndpoint(api);
  expect((await rotate(key, id, { body: {} })).status).toBe(200);
  expect(await rotate(key, id, { body: { graceHours: 0 } })).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', details: { reason: 'BODY_NOT_ALLOWED' } },
  });
});
