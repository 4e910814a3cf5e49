import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeEndpoint } from './support.ts';

const api = useTestApi();

const begin = async () => {
  const own = await makeEndpoint(api);
  const path = `/webhooks/${own.id}/settings`;
  const patch = (body: unknown) => api.call('PATCH', path, { key: own.key, body });
  const read = async () => (await api.call('GET', path, { key: own.key })).data;
  return { ...own, patch, read };
};

it('changes only the given fields', async () => {
  const { patch, read } = await begin();
  const before = await read();
  expect((await patch({ maxInFlight: 1 })).data).toEqual({ ...before, maxInFlight: 1 });
  expect((await patch({ rotationOverlapHours: 168 })).data).toEqual({ ...before, maxInFlight: 1, rotationOverlapHours: 168 });
  expect((await patch({ ratePerSecond: 1_000 })).data).toMatchObject({ maxInFlight: 1, ratePerSecond: 1_000 });
  expect((await patch({})).data).toEqual(await read());
  await patch({ ratePerSecond: null });
  expect(await read()).toEqual({ ...before, maxInFlight: 1, rotationOverlapHours: 168 });
});

it('adds, replaces and removes single headers, whatever their case, and never shows a value', async () => {
  const { patch, read } = await begin();
  const first = await patch({ headers: { Authorization: 'Bearer 7f9c24e5', 'X-Tenant': 'acme', x_old: '1' } });
  expect(first.data.headers).toEqual({ authorization: '****', 'x-tenant': '****', x_old: '****' });
  expect(first.text).not.toMatch(/7f9c24e5|acme/);
  expect((await patch({ headers: { AUTHORIZATION: 'Bearer other', 'x-tenant': null } })).data.headers).toEqual({
    authorization: '****',
    x_old: '****',
  });
  expect((await patch({ headers: { X_OLD: '', missing: null } })).data.headers).toEqual({ authorization: '****' });
  expect((await patch({ headers: {} })).data.headers).toEqual({ authorization: '****' });
  expect((await patch({ headers: null })).data.headers).toEqual({});
  expect((await read()).headers).toEqual({});
});

it('a repeated request changes nothing', async () => {
  const { patch, read } = await begin();
  const body = { headers: { 'X-Tenant': 'acme', 'X-Old': null }, maxInFlight: 4 };
  const first = await patch(body);
  expect((await patch(body)).data).toEqual(first.data);
  expect(await read()).toEqual(first.data);
});

it.each([
  ['that this server sets', ['Host', 'host', 'User-Agent', 'Accept-Encoding', 'webhook-id', 'Webhook-Signature', 'svix-id']],
  ['of the body', ['Content-Type', 'content-length', 'Content-Anything', 'Transfer-Encoding', 'Trailer', 'TE', 'Expect']],
  ['of the connection', ['Connection', 'Keep-Alive', 'Proxy-Authorization', 'Upgrade', 'X-Forwarded-For']],
])('headers %s cannot be set or removed: %j', async (_what, names) => {
  const { patch, read } = await begin();
  for (const name of names) {
    for (const value of ['1', null]) {
      const issues = [{ path: `headers.${name}`, code: 'custom', message: 'is reserved and cannot be set' }];
      const response = await patch({ headers: { 'X-Tenant': 'acme', [name]: value } });
      expect(response).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR', details: { issues } } });
    }
  }
  expect((await read()).headers).toEqual({});
});

it('a rejected value is not repeated, and nothing changes', async () => {
  const { patch, read } = await begin();
  await patch({ headers: { Kept: 'kept' } });
  const before = await read();
  const response = await patch({ rotationOverlapHours: 1, headers: { x: 'private\r\nhost: evil' } });
  expect(response).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'headers.x' }] } },
  });
  expect(response.text).not.toContain('privat');
  expect(await read()).toEqual(before);
});

it('responds 409 TOO_MANY_HEADERS to the eleventh header until one is removed', async () => {
  const { patch, read } = await begin();
  const ten = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`x-${n}`, 'a']));
  expect((await patch({ headers: ten })).status).toBe(200);
  const before = await read();
  expect(await patch({ headers: { 'x-10': 'a' }, maxInFlight: 1 })).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'TOO_MANY_HEADERS', limit: 10 } },
  });
  expect(await read()).toEqual(before);
  expect((await patch({ headers: { 'x-10': 'a', 'x-0': null } })).status).toBe(200);
  expect(Object.keys((await read()).headers)).toHaveLength(10);
});

it('the overlap decides how long replaced secrets sign; with 0, none is kept', async () => {
  const { key, id, patch } = await begin();
  const rotate = async () => (await api.call('POST', `/webhooks/${id}/rotate-secret`, { key })).status;
  const hours = async () =>
    (
      await rowsOf(
        api,
        `select round(extract(epoch from expires_at - now()) / 3600)::int as hours from webhook_secret where endpoint_id = ?
          order by created_at`,
        [id],
      )
    ).map((row) => row['hours']);
  await patch({ rotationOverlapHours: 168 });
  expect(await rotate()).toBe(200);
  expect(await hours()).toEqual([168, null]);
  await patch({ rotationOverlapHours: 2 });
  await rotate();
  expect(await hours()).toEqual([2, 2, null]);
  await patch({ rotationOverlapHours: 0 });
  await rotate();
  expect(await hours()).toEqual([null]);
});
