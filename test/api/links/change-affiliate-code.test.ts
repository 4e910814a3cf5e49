import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { anySlug, makeMember } from './support.ts';

const api = useTestApi();

const change = (key: string, affiliateId: string, code: unknown) =>
  api.call('PATCH', `/affiliates/${affiliateId}/code`, { key, body: { code } });

test('IN13: a merchant changes the code of an affiliate, which is in the audit log', async () => {
  const own = await makeMember(api);
  const code = anySlug();
  const changed = await change(own.merchantKey, own.affiliateId, code);
  expect(changed).toMatchObject({ status: 200, data: { affiliateId: own.affiliateId, programId: own.programId, code } });
  const { data: affiliate } = await api.call('GET', `/affiliates/${own.affiliateId}`, { key: own.merchantKey });
  expect(affiliate.code).toBe(code);
  expect((await api.call('GET', '/me/links', { key: own.key })).data).toMatchObject([{ code }]);
  const { data: entries } = await api.call('GET', '/audit-log', { key: own.merchantKey });
  const entry = entries.find(({ resourceId }: { resourceId: string }) => resourceId === own.affiliateId);
  expect(entry).toMatchObject({ action: 'affiliate.updated' });
  expect(JSON.stringify(entry.changes)).toContain(code);
});

test('IN13: one day counts for the merchant and the affiliate together', async () => {
  const own = await makeMember(api);
  expect((await change(own.merchantKey, own.affiliateId, anySlug())).status).toBe(200);
  const again = await api.call('PATCH', '/me/code', { key: own.key, body: { code: anySlug() } });
  expect(again).toMatchObject({ status: 409, error: { details: { reason: 'CODE_CHANGED_RECENTLY' } } });
});

test('403 for affiliates of others, 404 for nobody, 409 for a code that is taken, and nothing changes', async () => {
  const [own, other] = [await makeMember(api), await makeMember(api)];
  const { key } = await makeMerchant(api.runtime);
  expect((await change(key, own.affiliateId, anySlug())).status).toBe(403);
  expect((await change(own.key, own.affiliateId, anySlug())).status).toBe(403);
  expect((await change(own.merchantKey, MISSING_ID, anySlug())).status).toBe(404);
  expect(await change(own.merchantKey, own.affiliateId, other.code)).toMatchObject({
    status: 409,
    error: { details: { reason: 'CODE_TAKEN' } },
  });
  expect((await change(own.merchantKey, own.affiliateId, 'a b')).status).toBe(422);
  const { data } = await api.call('GET', `/affiliates/${own.affiliateId}`, { key: own.merchantKey });
  expect(data.code).toBe(own.code);
});
