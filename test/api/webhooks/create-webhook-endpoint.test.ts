import { randomUUID } from 'node:crypto';
import { EXTENDED_EVENT_TYPES } from '../../../src/contracts/events.ts';
import { mailsAbout } from '../../domains/notifications/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { endpointBody, HOOK_URL, makeEndpoint } from './support.ts';

const api = useTestApi();

const create = (key: string, more: Record<string, unknown> = {}, headers = {}) =>
  api.call('POST', '/webhooks', { key, body: endpointBody(more), headers });

describe('201', () => {
  it('returns the endpoint and, only once, its secret', async () => {
    const { key } = await makeMerchant(api.runtime);
    const response = await create(key);
    expect(response.status).toBe(201);
    expect(response.data).toEqual({
      endpoint: {
        id: expect.any(String),
        name: 'Orders',
        url: HOOK_URL,
        status: 'active',
        programId: null,
        schemaVersion: 2,
        subscribedEvents: ['payout.completed', 'conversion.created'],
        secretLastFour: response.data.signingSecret.slice(-4),
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: response.data.endpoint.createdAt,
        disabledAt: null,
      },
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9]{43}=$/),
    });
    const shown = await api.call('GET', `/webhooks/${response.data.endpoint.id}`, { key });
    expect(shown.data).toEqual(response.data.endpoint);
  });

  it('accepts a program, and stores each event type once', async () => {
    const { key } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const response = await create(key, { programId, schemaVersion: 2, subscribedEvents: ['flag.resolved', 'flag.resolved'] });
    expect(response.data.endpoint).toMatchObject({ programId, subscribedEvents: ['flag.resolved'] });
  });

  it('accepts a host name that does not resolve now', async () => {
    const { key } = await makeMerchant(api.runtime);
    expect((await create(key, { url: 'https://hooks.tributary-test.invalid/a' })).status).toBe(201);
  });

  it('a retry with the same Idempotency-Key returns the same secret, which is stored encrypted', async () => {
    const { key } = await makeMerchant(api.runtime);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await create(key, {}, headers);
    const second = await create(key, {}, headers);
    expect(second.text).toBe(first.text);
    expect((await api.call('GET', '/webhooks', { key })).data).toHaveLength(1);
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    const records = JSON.stringify(await em.getConnection().execute('select body from idempotency_record'));
    expect(records).not.toContain(first.data.signingSecret);
  });
});

describe('422', () => {
  it.each([
    ['http://hooks.example.com/', 'https_required'],
    ['ftp://hooks.example.com/', 'https_required'],
    ['https://user:pass@hooks.example.com/', 'user_info'],
    ['https://hooks.example.com/#a', 'fragment'],
    ['https://hooks.example.com:22/', 'blocked_port'],
    ['https://10.0.0.1/', 'blocked_address'],
    ['https://169.254.169.254/latest/meta-data', 'blocked_address'],
    ['https://2130706434/', 'blocked_address'],
    ['https://[::ffff:a9fe:a9fe]/', 'blocked_address'],
    ['https://metadata.google.internal/', 'blocked_host'],
    ['https://intranet/', 'blocked_host'],
    ['not a url', 'invalid_url'],
  ])('%s is rejected as %s, without naming an address', async (url, code) => {
    const { key } = await makeMerchant(api.runtime);
    const response = await create(key, { url });
    expect(response).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'url', code, message: expect.any(String) }] } },
    });
    expect((await api.call('GET', '/webhooks', { key })).data).toEqual([]);
  });

  it.each([
    ['name', { name: ' ' }],
    ['subscribedEvents', { subscribedEvents: [] }],
    ['subscribedEvents.0', { subscribedEvents: ['payout.exploded'] }],
    ['schemaVersion', { schemaVersion: 1 }],
    ['programId', { programId: 'abc' }],
    ['url', { url: `https://a.example.com/${'x'.repeat(2048)}` }],
    ['url', { url: 7 }],
    ['status', { status: 'disabled' }],
  ])('%s must be valid', async (path, more) => {
    const { key } = await makeMerchant(api.runtime);
    const response = await create(key, more);
    expect(response).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
    expect(response.error.details.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });
});

it.each([...EXTENDED_EVENT_TYPES, '*'])('IN11: subscribing to %s says where extended events are set', async (type) => {
  const { key } = await makeMerchant(api.runtime);
  const response = await create(key, { subscribedEvents: ['payout.completed', type] });
  const message = 'is an extended event type: set it as extendedEvents with PATCH /webhooks/{id}/settings';
  expect(response).toMatchObject({ status: 422, error: { details: { issues: [{ path: 'subscribedEvents.1', message }] } } });
});

it('responds 409 TOO_MANY_ENDPOINTS to the fifty-first endpoint until one is deleted', async () => {
  const { key } = await makeMerchant(api.runtime);
  const made: Awaited<ReturnType<typeof create>>[] = [];
  // All at once, the last ones may wait too long for their turn.
  for (let round = 0; round < 5; round++) made.push(...(await Promise.all(Array.from({ length: 10 }, () => create(key)))));
  expect(new Set(made.map((one) => one.status))).toEqual(new Set([201]));
  expect(await create(key)).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'TOO_MANY_ENDPOINTS', limit: 50 } },
  });
  await api.call('DELETE', `/webhooks/${made[0]?.data.endpoint.id}`, { key });
  expect((await create(key)).status).toBe(201);
});

test('SE6: the merchant is told of a new endpoint, once, without the path of its URL', async () => {
  const { id } = await makeEndpoint(api, { url: 'https://1.1.1.1/hook/s3cret' });
  const mails = await mailsAbout(api.runtime, id);
  expect(mails.map(({ kind }) => kind)).toEqual(['webhook_created']);
  expect(mails[0]?.text).not.toContain('s3cret');
});
