import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

test('a merchant key gets its scopes, its merchant and the programs', async () => {
  const { merchantId, keyId, key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { name: 'Mine', website: 'https://acme.example' });
  const response = await api.call('GET', '/me', { key });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
    key: {
      id: keyId,
      name: 'test',
      keyType: 'full',
      ownerType: 'merchant',
      scopes: expect.arrayContaining(['merchant:read', 'payouts:write']),
      prefix: 'ak_live_',
      lastFour: key.slice(-4),
      expiresAt: null,
    },
    owner: {
      merchantId,
      companyName: expect.stringMatching(/^Company /),
      email: expect.stringContaining('@example.com'),
      billingTier: 'free',
      timezone: 'UTC',
      onboardingCompleted: false,
      onboardingStep: 1,
    },
    programs: [
      {
        id: programId,
        name: 'Mine',
        status: 'active',
        marketplaceStatus: 'private',
        readiness: 'partial',
        website: 'https://acme.example',
        landingPageUrl: null,
        stripeConnectedAt: null,
      },
    ],
  });
});

test('archived programs and programs of other merchants are not included', async () => {
  const other = await makeMerchant(api.runtime);
  await makeProgram(api, other.key);
  const { key } = await makeMerchant(api.runtime);
  const archived = await makeProgram(api, key);
  const kept = await makeProgram(api, key);
  await api.call('DELETE', `/programs/${archived.programId}`, { key });
  const { data } = await api.call('GET', '/me', { key });
  expect(data.programs.map((program: { id: string }) => program.id)).toEqual([kept.programId]);
});

test('an onboarding key gets its merchant', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, keyType: 'onboarding', expiresAt });
  const { data } = await api.call('GET', '/me', { key });
  expect(data.key).toMatchObject({
    keyType: 'onboarding',
    ownerType: 'merchant',
    prefix: 'ak_onb_',
    expiresAt: expiresAt.toISOString(),
  });
  expect(data.key.scopes).toEqual(['merchant:manage', 'programs:read', 'programs:write']);
  expect(data).toMatchObject({ owner: { merchantId }, programs: [] });
});

test('an affiliate key gets its person and no programs', async () => {
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const { key } = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate', scopes: ['links:read'] });
  const { data } = await api.call('GET', '/me', { key });
  expect(data).toEqual({
    key: expect.objectContaining({ keyType: 'affiliate', ownerType: 'affiliate', scopes: ['links:read'] }),
    owner: { affiliateId: profileId, email: expect.stringContaining('@example.com'), name: 'Ada Test' },
  });
});

test('responds 400 for query parameters', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect(await api.call('GET', '/me', { key, query: { include: 'all' } })).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST' },
  });
});
