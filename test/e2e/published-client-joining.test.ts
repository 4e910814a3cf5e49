import type { AgentRef, Invite } from 'agentref';
import { makeInviter, makePerson } from '../api/invites/support.ts';
import { makePublicShop, refreshAll } from '../api/marketplace/support.ts';
import { useTestApi } from '../support/api.ts';
import { makeAffiliateKey, unique } from '../support/factories.ts';
import { listenForClients } from '../support/published-client.ts';

const api = useTestApi();
let clientOf: (apiKey: string) => AgentRef;
beforeAll(async () => {
  clientOf = await listenForClients(api);
});

const INVITE: (keyof Invite)[] = ['token', 'email', 'programId', 'expiresAt', 'createdAt'];

test('marketplace: the entry of a program, and the list', async () => {
  const shop = await makePublicShop(api, { marketplaceStatus: 'draft' });
  const updated = await clientOf(shop.key).programs.updateMarketplace(shop.programId, {
    status: 'public',
    category: 'Productivity',
    description: 'For small teams',
    logoUrl: 'https://acme.example/logo.png',
  });
  expect(updated).toMatchObject({ programId: shop.programId, status: 'public', category: 'Productivity', isListed: true });
  await refreshAll(api);
  const { marketplace } = clientOf(await makeAffiliateKey(api.runtime, shop.profileId));
  const filters = { category: 'Productivity', minCommission: 20, minEpc: 0, limit: 50 };
  for (const sort of ['epc', 'conversionRate', 'commission', 'newest'] as const) {
    const page = await marketplace.listPrograms({ ...filters, sort });
    expect(page.data).toMatchObject([{ programId: shop.programId, commissionPercent: 20, epc: 0 }]);
    expect(page.meta).toMatchObject({ total: 1, page: 1, pageSize: 50, hasMore: false });
  }
});

test('invites: create, list, get, claim', async () => {
  const { key, programId } = await makeInviter(api);
  const client = clientOf(key);
  const ada = await makePerson(api);
  const order = { email: ada.email, name: 'Ada', expiresInDays: 7, trackingCode: `code-${unique()}`, skipOnboarding: true };
  const created = await client.programs.createInvite(programId, order, { idempotencyKey: unique() });
  expect(Object.keys(created)).toEqual(expect.arrayContaining(INVITE));
  expect(await client.programs.listInvites(programId)).toEqual([created]);
  const shared = await client.programs.createInvite(programId, { isPublic: true, usageLimit: 2 });
  expect(shared).toMatchObject({ isPublic: true, usageLimit: 2 });
  const own = clientOf(ada.key);
  const found = await own.invites.get(created.token);
  expect(Object.keys(found)).toEqual(expect.arrayContaining(INVITE));
  expect(found).toMatchObject({ token: created.token, programId });
  expect(await own.invites.claim(created.token)).toMatchObject({
    affiliateId: expect.any(String),
    programId,
    status: 'auto_approved',
  });
});

test('marketplace.apply, with and without a message', async () => {
  const shop = await makePublicShop(api);
  for (const message of ['I write about gardening', undefined]) {
    const { marketplace } = clientOf((await makePerson(api)).key);
    const applied = await marketplace.apply(shop.programId, ...(message === undefined ? [] : [{ message }]));
    expect(applied).toMatchObject({ programId: shop.programId, status: 'pending', message: message ?? null });
    expect(applied['nextSteps']).toEqual(expect.arrayContaining([expect.any(String)]));
  }
});
