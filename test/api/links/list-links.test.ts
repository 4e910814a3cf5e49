import { randomUUID } from 'node:crypto';
import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';
import { createLink, listLinks, makeMember } from './support.ts';

const api = useTestApi();

test('the links of the person, newest first, without deleted ones', async () => {
  const { key, programId } = await makeMember(api);
  const made = [];
  for (const name of ['One', 'Two', 'Three']) made.push((await createLink(api, key, { name })).data);
  await api.call('DELETE', `/me/links/${made[1].id}`, { key });
  const listed = await listLinks(api, key);
  expect(listed.status).toBe(200);
  expect(listed.data).toEqual([made[2], made[0]]);
  expect(listed.meta).toEqual({ requestId: expect.any(String) });
  expect((await listLinks(api, key, { program_id: programId })).data).toEqual(listed.data);
});

test('a program that is missing or not joined has no links', async () => {
  const { key } = await makeMember(api);
  await createLink(api, key);
  const other = await makeMember(api);
  await createLink(api, other.key);
  for (const program_id of [randomUUID(), other.programId]) {
    expect(await listLinks(api, key, { program_id })).toMatchObject({ status: 200, data: [] });
  }
});

test('400 for a malformed program, and for none when the person is in several', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { affiliateId, profileId } = await makeAffiliate(api.runtime, programId);
  const { email } = (await api.call('GET', `/affiliates/${affiliateId}`, { key: merchant.key })).data;
  const { programId: second } = await makeProgram(api, merchant.key);
  await createAffiliate(api.runtime.context({ kind: 'system', name: 'test' }), {
    programId: second,
    email,
    name: 'Ada Test',
    source: 'api',
  });
  const { key } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate' });
  expect(await listLinks(api, key, { program_id: 'x' })).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
  expect(await listLinks(api, key)).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', details: { issues: [{ path: 'program_id', code: 'required' }] } },
  });
  expect(await listLinks(api, key, { program_id: second })).toMatchObject({ status: 200, data: [] });
});

test('a blocked affiliate can still read the links', async () => {
  const member = await makeMember(api);
  const { data } = await createLink(api, member.key);
  await api.call('POST', `/affiliates/${member.affiliateId}/block`, { key: member.merchantKey });
  expect((await listLinks(api, member.key)).data).toEqual([data]);
});

test('the URL follows the settings of the program: a page that is no longer allowed is not shared', async () => {
  const { key, merchantKey, programId } = await makeMember(api);
  const { data } = await createLink(api, key, { name: 'x', destination_path: '/pricing' });
  const change = (body: object) => api.call('PATCH', `/programs/${programId}`, { key: merchantKey, body });
  await change({ allowedLandingPages: [], landingPageUrl: 'https://www.acme.example/hello' });
  const shown = async () => (await listLinks(api, key)).data[0];
  expect(await shown()).toEqual({ ...data, url: `https://www.acme.example/hello?via=${data.code}` });
  await change({ allowedLandingPages: [{ path: '/pricing', label: 'Pricing' }] });
  expect(await shown()).toEqual(data);
});
