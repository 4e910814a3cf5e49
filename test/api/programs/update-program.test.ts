import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi();

test('every documented field can be updated', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const body = {
    name: 'New name',
    description: 'New description',
    website: 'https://new.example',
    landingPageUrl: 'https://new.example/start',
    allowedLandingPages: [
      { path: '/pricing', label: 'Pricing' },
      { path: '/', label: 'Home' },
    ],
    allowCustomDestinations: true,
    portalSlug: `p-${unique()}`,
    status: 'paused',
    marketplaceStatus: 'public',
    applicationFields: [{ label: 'Your website', isRequired: false }],
    applicationAccess: 'invite_only',
    marketplaceCategory: 'Books',
    marketplaceDescription: 'New text',
    marketplaceLogoUrl: 'https://new.example/logo.png',
    commissionType: 'recurring_limited',
    commissionPercent: 12.5,
    commissionLimitMonths: 6,
    commissionHoldDays: 14,
    cookieDuration: 60,
    payoutThreshold: 2000,
    payoutFrequency: 'quarterly',
    autoPayouts: { enabled: true, requireConfirmation: true },
    currency: 'eur',
    autoApproveAffiliates: true,
    reviewNewAffiliates: true,
    joinCustomersByEmail: false,
    termsUrl: 'https://new.example/terms',
    trackingRequiresConsent: true,
    trackingParamAliases: ['partner', 'aff_id'],
    embedOrigins: ['https://app.acme.example', 'http://localhost:8080'],
  };
  const changed = await api.call('PATCH', `/programs/${programId}`, { key, body });
  expect(changed).toMatchObject({ status: 200, data: { id: programId, ...body } });
  const { readiness, ...read } = (await api.call('GET', `/programs/${programId}`, { key })).data;
  expect(readiness).toBe('partial');
  expect(read).toEqual(changed.data);
});

test('null clears nullable fields', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, {
    description: 'x',
    website: 'https://acme.example',
    portalSlug: `p-${unique()}`,
    marketplaceCategory: 'Books',
    termsUrl: 'https://acme.example/terms',
    trackingRequiresConsent: false,
    trackingParamAliases: ['partner'],
  });
  const body = {
    description: null,
    website: null,
    portalSlug: null,
    marketplaceCategory: null,
    termsUrl: null,
    trackingRequiresConsent: null,
    trackingParamAliases: null,
  };
  expect(await api.call('PATCH', `/programs/${programId}`, { key, body })).toMatchObject({ status: 200, data: body });
});

test('the slug stays the same when the name changes', async () => {
  const { key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', {
    key,
    body: { name: 'One', commissionType: 'one_time', commissionPercent: 5 },
  });
  const changed = await api.call('PATCH', `/programs/${made.data.id}`, { key, body: { name: 'Two' } });
  expect(changed.data).toMatchObject({ name: 'Two', slug: made.data.slug });
});

test('an archived program can be made active again', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  await api.call('DELETE', `/programs/${programId}`, { key });
  const back = await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'active' } });
  expect(back).toMatchObject({ status: 200, data: { status: 'active' } });
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(1);
});

test('commissionLimitMonths follows commissionType', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key, { commissionType: 'recurring' });
  const patch = (body: unknown) => api.call('PATCH', `/programs/${programId}`, { key, body });
  const validationError = {
    status: 422,
    error: { details: { issues: [expect.objectContaining({ path: 'commissionLimitMonths' })] } },
  };
  expect(await patch({ commissionLimitMonths: 6 })).toMatchObject(validationError);
  expect((await patch({ commissionType: 'recurring_limited' })).data.commissionLimitMonths).toBe(12);
  expect((await patch({ commissionLimitMonths: 6 })).data.commissionLimitMonths).toBe(6);
  expect((await patch({ commissionLimitMonths: null })).data.commissionLimitMonths).toBe(12);
  expect(await patch({ commissionType: 'one_time', commissionLimitMonths: 6 })).toMatchObject(validationError);
  expect((await patch({ commissionType: 'one_time' })).data.commissionLimitMonths).toBeNull();
});

test.each([
  ['payoutFrequency', { payoutFrequency: 'weekly', status: 'paused' }],
  ['autoPayouts', { autoPayouts: { enabled: true } }],
])('409 for the portal slug of another program in a change of %s', async (_name, more) => {
  const { key } = await makeMerchant(api.runtime);
  const portalSlug = `p-${unique()}`;
  const { programId } = await makeProgram(api, key, { payoutFrequency: 'monthly' });
  await makeProgram(api, key, { portalSlug });
  const taken = { status: 409, error: { code: 'CONFLICT', details: { reason: 'PORTAL_SLUG_TAKEN', portalSlug } } };
  expect(await api.call('PATCH', `/programs/${programId}`, { key, body: { ...more, portalSlug } })).toMatchObject(taken);
  const body = { name: 'x', commissionType: 'one_time', commissionPercent: 10, ...more, status: undefined, portalSlug };
  expect(await api.call('POST', '/programs', { key, body })).toMatchObject(taken);
});

test('409 for the portal slug of another program, but not for its own', async () => {
  const { key } = await makeMerchant(api.runtime);
  const [mine, taken] = [`p-${unique()}`, `p-${unique()}`];
  const { programId } = await makeProgram(api, key, { portalSlug: mine });
  await makeProgram(api, key, { portalSlug: taken });
  expect(await api.call('PATCH', `/programs/${programId}`, { key, body: { portalSlug: taken, name: 'x' } })).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'PORTAL_SLUG_TAKEN', portalSlug: taken } },
  });
  const kept = await api.call('PATCH', `/programs/${programId}`, { key, body: { portalSlug: mine } });
  expect(kept).toMatchObject({ status: 200, data: { portalSlug: mine } });
  expect(kept.data.name).not.toBe('x');
});

test('the currency cannot be changed after the first sale, other fields can', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  const { code } = await makeAffiliate(api.runtime, program.programId);
  const patch = (body: unknown) => api.call('PATCH', `/programs/${program.programId}`, { key, body });
  expect((await patch({ currency: 'EUR' })).data.currency).toBe('eur');
  expect((await sendSale(api, program, { currency: 'eur', referralCode: code })).data.outcome).toBe('recorded');
  expect(await patch({ currency: 'usd' })).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'CURRENCY_LOCKED', currency: 'eur' } },
  });
  expect(await patch({ currency: 'EUR', name: 'Same currency' })).toMatchObject({ status: 200, data: { name: 'Same currency' } });
});

test('an update without changes keeps updatedAt', async () => {
  const { key } = await makeMerchant(api.runtime);
  const allowedLandingPages = [{ path: '/pricing', label: 'Pricing' }];
  const { programId } = await makeProgram(api, key, { commissionPercent: 33.33, allowedLandingPages });
  const body = { commissionPercent: 33.33, status: 'active', allowedLandingPages };
  const first = await api.call('PATCH', `/programs/${programId}`, { key, body });
  expect(first.data.updatedAt).toBe(first.data.createdAt);
  expect((await api.call('PATCH', `/programs/${programId}`, { key, body: {} })).data).toEqual(first.data);
});

test('an invalid field is reported by name, and nothing changes', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const before = await api.call('GET', `/programs/${programId}`, { key });
  const rejected = await api.call('PATCH', `/programs/${programId}`, { key, body: { name: 'x', embedOrigins: ['*'] } });
  const issues = [expect.objectContaining({ path: 'embedOrigins.0' })];
  expect(rejected).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR', details: { issues } } });
  expect((await api.call('GET', `/programs/${programId}`, { key })).data).toEqual(before.data);
});

it('only a key that may pay can choose payout runs that confirm themselves', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { key: limited } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['programs:read', 'programs:write'] });
  const choose = (by: string, requireConfirmation: boolean) =>
    api.call('PATCH', `/programs/${programId}`, { key: by, body: { autoPayouts: { enabled: true, requireConfirmation } } });
  const refused = await choose(limited, false);
  expect(refused).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE', details: { required: 'payouts:write' } } });
  expect((await choose(limited, true)).status).toBe(200);
  expect((await choose(key, false)).data.autoPayouts).toEqual({ enabled: true, requireConfirmation: false });
  expect((await choose(limited, false)).status).toBe(200);
});
