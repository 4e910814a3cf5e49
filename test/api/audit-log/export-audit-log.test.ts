import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

const exportOf = (key: string, query: Record<string, string> = {}) => api.call('GET', '/audit-log/export', { key, query });

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};
const download = (url: string) => api.raw('GET', pathOf(url), {});

const addEntries = (ownerId: string, count: number) =>
  execute(
    api.runtime.context({ kind: 'system', name: 'test' }).em,
    sql`insert into audit_log (id, owner_id, actor, action, resource_id, changes, created_at)
      select gen_random_uuid(), ${ownerId}::uuid, 'system:test', 'coupon.created', ${ownerId}::uuid,
        jsonb_build_array(jsonb_build_object('field', 'n', 'old', null, 'new', n, 'hidden', false)), now() - n * interval '1 second'
      from generate_series(1, ${count}::int) as n`,
  );

it('SE15: a file has all entries that the filters select, in order', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  await addEntries(merchantId, 1_201);
  const { status, data } = await exportOf(key, { action: 'coupon.created' });
  expect({ status, expiresAt: Date.parse(data.expiresAt) > Date.now() }).toEqual({ status: 200, expiresAt: true });
  const file = await download(data.url);
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
  expect(file.headers['content-disposition']).toMatch(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/);
  const lines = file.text.split('\r\n');
  expect(lines[0]).toBe('\uFEFFcreatedAt,actor,actorName,address,requestId,action,resourceType,resourceId,changes,id');
  expect(lines).toHaveLength(1_203);
  const numbers = lines.slice(1, -1).map((line) => Number(/""new"": ?(\d+)/.exec(line)?.[1]));
  expect(numbers).toEqual(Array.from({ length: 1_201 }, (_, index) => index + 1));
});

it('SE15: names of keys that a spreadsheet would run are text', async () => {
  const { key } = await makeMerchant(api.runtime);
  const body = { name: '=HYPERLINK("http://evil.test")', scopes: ['merchant:manage'] };
  const evil = (await api.call('POST', '/auth/keys', { key, body })).data;
  await api.call('PATCH', '/merchant', { key: evil.value, body: { companyName: 'Renamed' } });
  const { data } = await exportOf(key, { actor: `key:${evil.key.id}` });
  expect((await download(data.url)).text).toContain(`"'=HYPERLINK(""http://evil.test"")"`);
});

it('SE15: a URL names one merchant and one filter, and ends with the key that created it', async () => {
  const [merchant, other] = [await makeMerchant(api.runtime), await makeMerchant(api.runtime)];
  const spare = await makeKey(api.runtime, { ownerId: merchant.merchantId });
  const { data } = await exportOf(spare.key);
  const file = await download(data.url);
  expect([file.status, file.text.includes(merchant.keyId), file.text.includes(other.keyId)]).toEqual([200, true, false]);
  expect((await download(data.url.replace('audit-log.csv', 'payouts.csv'))).status).toBe(404);
  expect((await download(`${data.url}x`)).status).toBe(404);
  expect((await api.raw('GET', '/files/exports/audit-log.csv', {})).status).toBe(404);
  await api.call('DELETE', `/auth/keys/${spare.keyId}`, { key: merchant.key });
  expect((await download(data.url)).status).toBe(403);
});

it('SE15: an export needs merchant:manage', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['merchant:read'] });
  expect(await exportOf(key)).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
});
