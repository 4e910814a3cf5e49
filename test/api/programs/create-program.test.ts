import { operatorContext } from '../../../src/cli/operator.ts';
import { createProgram } from '../../../src/domains/programs/index.ts';
import { updateProgram } from '../../../src/domains/programs/use-cases/program.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, unique } from '../../support/factories.ts';
import { BROWSER, visitorId } from '../tracking/support.ts';

const api = useTestApi();

const minimal = { name: 'Acme Partners', commissionType: 'recurring', commissionPercent: 20 };

const create = async (body: unknown) => {
  const { key } = await makeMerchant(api.runtime);
  return api.call('POST', '/programs', { key, body });
};

test('the required fields create a program with the default settings', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  expect(made.status).toBe(201);
  expect(made.data).toEqual({
    id: expect.any(String),
    merchantId,
    ...minimal,
    description: null,
    slug: expect.stringMatching(/^acme-partners-[0-9a-f]{8}$/),
    website: null,
    landingPageUrl: null,
    allowedLandingPages: [],
    allowCustomDestinations: false,
    portalSlug: null,
    applicationFields: [],
    status: 'active',
    marketplaceStatus: 'private',
    applicationAccess: 'open',
    marketplaceCategory: null,
    marketplaceDescription: null,
    marketplaceLogoUrl: null,
    commissionLimitMonths: null,
    commissionHoldDays: 30,
    cookieDuration: 30,
    trackingRequiresConsent: null,
    trackingParamAliases: null,
    embedOrigins: [],
    payoutThreshold: 5000,
    payoutFrequency: 'monthly',
    autoPayouts: { enabled: false, requireConfirmation: true },
    currency: 'usd',
    autoApproveAffiliates: false,
    reviewNewAffiliates: false,
    joinCustomersByEmail: true,
    termsUrl: null,
    stripeAccountId: null,
    stripeConnectedAt: null,
    createdAt: expect.any(String),
    updatedAt: made.data.createdAt,
  });
});

test('every documented field can be set', async () => {
  const body = {
    name: 'Everything',
    description: 'First line\nSecond line',
    website: 'https://acme.example',
    landingPageUrl: 'https://acme.example/welcome?from=partners',
    allowedLandingPages: [{ path: '/pricing?plan=pro', label: 'Pricing' }],
    allowCustomDestinations: true,
    portalSlug: `p-${unique()}`,
    applicationFields: [{ label: 'Where do you publish?', isRequired: true }],
    marketplaceStatus: 'draft',
    applicationAccess: 'invite_only',
    marketplaceCategory: 'Software',
    marketplaceDescription: 'For people who write.',
    marketplaceLogoUrl: 'https://acme.example/logo.png',
    commissionType: 'recurring_limited',
    commissionPercent: 33.33,
    commissionLimitMonths: 36,
    commissionHoldDays: 0,
    cookieDuration: 90,
    payoutThreshold: 1000,
    payoutFrequency: 'weekly',
    autoPayouts: { enabled: true, requireConfirmation: false },
    currency: 'EUR',
    autoApproveAffiliates: true,
    reviewNewAffiliates: true,
    joinCustomersByEmail: false,
    termsUrl: 'https://acme.example/terms',
    trackingRequiresConsent: false,
    trackingParamAliases: [],
    embedOrigins: ['https://app.acme.example', 'https://admin.acme.example:8443'],
  };
  const made = await create(body);
  expect(made).toMatchObject({ status: 201, data: { ...body, currency: 'eur' } });
});

test('commissionLimitMonths defaults to 12 for recurring_limited', async () => {
  expect((await create({ ...minimal, commissionType: 'recurring_limited' })).data.commissionLimitMonths).toBe(12);
});

test('two programs may have the same name', async () => {
  const { key } = await makeMerchant(api.runtime);
  const [a, b] = await Promise.all([1, 2].map(() => api.call('POST', '/programs', { key, body: minimal })));
  expect([a?.status, b?.status]).toEqual([201, 201]);
  expect(a?.data.slug).not.toBe(b?.data.slug);
});

test('a portal slug is unique across merchants', async () => {
  const portalSlug = `p-${unique()}`;
  expect((await create({ ...minimal, portalSlug })).status).toBe(201);
  expect(await create({ ...minimal, portalSlug })).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'PORTAL_SLUG_TAKEN', portalSlug } },
  });
});

test('retrying with the same Idempotency-Key returns the same PORTAL_SLUG_TAKEN error', async () => {
  const portalSlug = `p-${unique()}`;
  await create({ ...minimal, portalSlug });
  const { key } = await makeMerchant(api.runtime);
  const request = { key, body: { ...minimal, portalSlug }, headers: { 'idempotency-key': 'once' } };
  const first = await api.call('POST', '/programs', request);
  const again = await api.call('POST', '/programs', request);
  expect(first.status).toBe(409);
  expect(again.text).toBe(first.text);
});

test('retrying with the same Idempotency-Key creates one program', async () => {
  const { key } = await makeMerchant(api.runtime);
  const request = { key, body: minimal, headers: { 'idempotency-key': 'once' } };
  const first = await api.call('POST', '/programs', request);
  const again = await api.call('POST', '/programs', request);
  expect(again).toMatchObject({ status: 201, text: first.text });
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(1);
});

test('an onboarding key can create only the first program of its merchant', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const onboarding = await makeKey(api.runtime, { ownerId: merchantId, keyType: 'onboarding' });
  const first = await api.call('POST', '/programs', { key: onboarding.key, body: minimal });
  expect(first).toMatchObject({ status: 201, data: { merchantId } });
  expect(await api.call('POST', '/programs', { key: onboarding.key, body: minimal })).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'ONBOARDING_PROGRAM_EXISTS', programId: first.data.id } },
  });
  expect((await api.call('POST', '/programs', { key, body: minimal })).status).toBe(201);
});

test('of concurrent onboarding requests exactly one creates a program', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const keys = await Promise.all([1, 2].map(() => makeKey(api.runtime, { ownerId: merchantId, keyType: 'onboarding' })));
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, at) => api.call('POST', '/programs', { key: keys[at % 2]?.key, body: minimal })),
  );
  expect(responses.map((response) => response.status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(1);
});

test('an invalid field is reported by name, and nothing is created', async () => {
  const { key } = await makeMerchant(api.runtime);
  const body = { ...minimal, commissionPercent: '20', slug: 'mine' };
  const rejected = await api.call('POST', '/programs', { key, body });
  const issues = [expect.objectContaining({ path: 'commissionPercent' }), expect.objectContaining({ path: 'slug' })];
  expect(rejected).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR', details: { issues } } });
  const limited = await api.call('POST', '/programs', { key, body: { ...minimal, commissionLimitMonths: 6 } });
  expect(limited).toMatchObject({ status: 422, error: { details: { issues: [{ path: 'commissionLimitMonths' }] } } });
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(0);
});

test.each(['{"name":', '[1,2', 'program'])('400 for a body that is not JSON: %s', async (body) => {
  expect(await create(body)).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});

const LOCAL = { website: 'http://localhost:3000', landingPageUrl: 'http://127.0.0.1:3000/welcome' };

test('IN7: pages on localhost are allowed in development, and a click of them counts', async () => {
  const { key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: { ...minimal, ...LOCAL } });
  expect(made).toMatchObject({ status: 201, data: LOCAL });
  const { code } = await makeAffiliate(api.runtime, made.data.id);
  const click = await api.raw('POST', '/api/tracking/click', {
    headers: { 'content-type': 'application/json', origin: LOCAL.website, 'user-agent': BROWSER },
    body: JSON.stringify({
      programId: made.data.id,
      referralCode: code,
      pageUrl: LOCAL.website,
      visitorId: visitorId(),
      consentGranted: true,
    }),
  });
  expect(click.data).toMatchObject({ status: 'ok', clickToken: expect.stringMatching(/^clk_/) });
});

test('IN7: in production a page on localhost is a 422, also in a change', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const { data } = await api.call('POST', '/programs', { key, body: minimal });
  const ctx = operatorContext(api.runtime);
  const production = { ...ctx, settings: { ...ctx.settings, environment: 'production' as const } };
  for (const [name, url] of Object.entries(LOCAL)) {
    const message = `${name} must not be on localhost in production`;
    await expect(createProgram(production, { ...minimal, commissionType: 'recurring', merchantId, [name]: url })).rejects.toThrow(
      message,
    );
    await expect(updateProgram(production, { id: data.id, changes: { [name]: url } })).rejects.toThrow(message);
  }
  const changes = { embedOrigins: ['http://localhost:8080'] };
  await expect(updateProgram(production, { id: data.id, changes })).rejects.toThrow('embedOrigins must not contain localhost');
});

test.each(['http://intranet', 'https://10.0.0.1', 'ftp://acme.example', 'acme.example', 'http://localhost.'])(
  'IN7: %s as a website is a 422 that names the rule',
  async (website) => {
    const { status, error } = await create({ ...minimal, website });
    expect(status).toBe(422);
    expect(error.message).toMatch(
      /website must be an absolute URL: http or https with the name of a public host, such as https:/,
    );
  },
);
