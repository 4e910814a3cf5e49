import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

const setUp = async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  const set = (body: unknown, id = affiliateId) => api.call('POST', `/affiliates/${id}/trust`, { key, body });
  const read = async () => (await api.call('GET', `/affiliates/${affiliateId}`, { key })).data;
  return { affiliateId, set, read };
};

it('sets the tier, higher or lower', async () => {
  const { set, read } = await setUp();
  expect((await read()).trustTier).toBe('new');
  expect(await set({ tier: 'verified' })).toMatchObject({ status: 200, data: { trustTier: 'verified' } });
  expect(await set({ tier: 'trusted' })).toMatchObject({ status: 200, data: { trustTier: 'trusted' } });
  expect((await read()).trustTier).toBe('trusted');
});

it('changes nothing when the tier stays the same', async () => {
  const { set, read } = await setUp();
  await set({ tier: 'trusted' });
  const before = await read();
  expect((await set({ tier: 'trusted' })).data).toMatchObject({ trustTier: 'trusted' });
  expect(await read()).toEqual(before);
});

it('a new affiliate can be set to "new"', async () => {
  const { set } = await setUp();
  expect(await set({ tier: 'new' })).toMatchObject({ status: 200, data: { trustTier: 'new' } });
});

it.each([[{}], [{ tier: 'best' }], [{ tier: 'new', note: 'x' }]])('%j is refused and changes nothing', async (body) => {
  const { set, read } = await setUp();
  const { status, error } = await set(body);
  expect([status, error.code]).toEqual([422, 'VALIDATION_ERROR']);
  expect((await read()).trustTier).toBe('new');
});

it("refuses another merchant's affiliate with 403 and a missing one with 404", async () => {
  const { set } = await setUp();
  const other = await setUp();
  expect((await set({ tier: 'trusted' }, other.affiliateId)).status).toBe(403);
  expect((await set({ tier: 'trusted' }, MISSING_ID)).status).toBe(404);
  expect((await other.read()).trustTier).toBe('new');
});
