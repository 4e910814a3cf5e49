import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { pngOf } from '../../support/images.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

const make = async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { portalSlug: `acme-${unique()}` });
  const body = { name: 'Acme Circle', accentColor: '#0b6e4f', logo: pngOf(64, 32).toString('base64') };
  await api.call('PATCH', `/programs/${programId}/portal`, { key, body });
  return { key, programId };
};

const logo = { url: expect.stringContaining('/logos/'), width: 64, height: 32 };

test('returns what the merchant set, to whoever may read the program', async () => {
  const { key, programId } = await make();
  const read = (id: string, by = key) => api.call('GET', `/programs/${id}/portal`, { key: by });
  expect((await read(programId)).data).toMatchObject({ programId, name: 'Acme Circle', accentColor: '#0b6e4f', logo });
  expect((await read(MISSING_ID)).status).toBe(404);
  const stranger = await makeMerchant(api.runtime);
  expect((await read(programId, stranger.key)).status).toBe(403);
});

test('whoever is invited or is a member is shown it', async () => {
  const { key, programId } = await make();
  const shown = { portalName: 'Acme Circle', portalTheme: '#0b6e4f', portalLogo: logo };
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const member = { key: await makeAffiliateKey(api.runtime, profileId) };
  expect((await api.call('GET', '/me/programs', member)).data).toMatchObject([shown]);
  expect((await api.call('GET', `/me/programs/${programId}`, member)).data).toMatchObject(shown);
  const { token } = (await api.call('POST', `/programs/${programId}/invites`, { key, body: {} })).data;
  expect((await api.call('GET', `/invites/${token}`)).data).toMatchObject(shown);
});
