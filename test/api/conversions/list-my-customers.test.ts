import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makePayable, sendIdentification, sendSale, unique } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

const setUp = async () => {
  const made = await makePayable(api);
  const { program, code, profileId } = made;
  const email = `ada-${unique()}@example.org`;
  await sendIdentification(api, program, { customer: { id: email, email }, referralCode: code });
  await sendSale(api, program, { customer: { id: `organic-${unique()}` } });
  const key = await makeAffiliateKey(api.runtime, profileId);
  const list = (query: Record<string, string> = {}) => api.call('GET', '/me/customers', { key, query });
  return { ...made, email, list };
};

it('IN3: an affiliate sees whom they referred, with masked ids and nobody else', async () => {
  const { list, email, programId, affiliateId } = await setUp();
  const { status, data, meta, text } = await list();
  expect([status, meta.total]).toEqual([200, 2]);
  expect(text).not.toContain(email);
  expect(data[0]).toEqual({
    id: expect.any(String),
    programId,
    affiliateId,
    status: 'lead',
    customer: 'ad…rg',
    attributedAt: expect.any(String),
    identifiedAt: expect.any(String),
    firstPaidAt: null,
    createdAt: expect.any(String),
  });
});

it('filters by program and status, and is empty for others', async () => {
  const { list, programId, program } = await setUp();
  expect((await list({ program_id: programId, status: 'lead' })).meta.total).toBe(1);
  expect((await list({ program_id: programId, status: 'customer' })).meta.total).toBe(1);
  expect((await list({ program_id: MISSING_ID })).data).toEqual([]);
  const { profileId } = await makeAffiliate(api.runtime, program.programId);
  const key = await makeAffiliateKey(api.runtime, profileId);
  expect((await api.call('GET', '/me/customers', { key })).data).toEqual([]);
});

it('403 for a merchant key', async () => {
  const { key } = await setUp();
  expect((await api.call('GET', '/me/customers', { key })).status).toBe(403);
});
