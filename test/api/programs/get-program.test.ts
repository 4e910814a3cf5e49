import { forkOf } from '../../../src/platform/database/orm.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const body = { name: 'Acme', commissionType: 'one_time', commissionPercent: 10 };

const readinessOf = async (id: string, key: string) => (await api.call('GET', `/programs/${id}`, { key })).data.readiness;

test('returns the created program with its readiness', async () => {
  const { key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body });
  const read = await api.call('GET', `/programs/${made.data.id}`, { key });
  expect(read).toMatchObject({ status: 200, data: { ...made.data, readiness: 'setup' } });
});

test('readiness changes from setup to partial to ready', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { id } = (await api.call('POST', '/programs', { key, body })).data;
  expect(await readinessOf(id, key)).toBe('setup');
  await api.call('POST', `/programs/${id}/event-secret`, { key });
  expect(await readinessOf(id, key)).toBe('partial');
  const { affiliateId } = await makeAffiliate(api.runtime, id);
  expect(await readinessOf(id, key)).toBe('partial');
  await execute(forkOf(api.runtime.orm), sql`update affiliate_totals set clicks = 1 where affiliate_id = ${affiliateId}::uuid`);
  expect(await readinessOf(id, key)).toBe('ready');
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  expect(await readinessOf(id, key)).toBe('partial');
});

test('a website alone makes a program partial', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { id } = (await api.call('POST', '/programs', { key, body: { ...body, website: 'https://acme.example' } })).data;
  expect(await readinessOf(id, key)).toBe('partial');
});

test('an archived program can still be retrieved', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  await api.call('DELETE', `/programs/${programId}`, { key });
  expect(await api.call('GET', `/programs/${programId}`, { key })).toMatchObject({ status: 200, data: { status: 'archived' } });
});

test('an onboarding key can retrieve the program of its merchant', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const onboarding = await makeKey(api.runtime, { ownerId: merchantId, keyType: 'onboarding' });
  expect((await api.call('GET', `/programs/${programId}`, { key: onboarding.key })).data.id).toBe(programId);
});
