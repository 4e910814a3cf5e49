import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const change = async (body: unknown) => {
  const { key } = await makeMerchant(api.runtime);
  return api.call('PATCH', '/merchant', { key, body });
};

test('every documented field can be updated', async () => {
  const { key } = await makeMerchant(api.runtime);
  const body = {
    companyName: 'Acme GmbH',
    logoUrl: 'https://acme.example/logo.png',
    country: 'DE',
    addressLine1: 'Hauptstraße 1',
    addressLine2: 'Hinterhaus',
    city: 'Berlin',
    state: 'Berlin',
    postalCode: '10115',
    vatId: 'DE136695976',
    taxId: '29/815/08151',
    timezone: 'Europe/Berlin',
    defaultCookieDuration: 365,
    defaultPayoutThreshold: 100_000,
    trackingRequiresConsent: true,
    trackingParamAliases: ['partner', 'aff_id', 'x-y'],
    flagReviewDays: 90,
    flagDeadlineAction: 'confirm',
    detailsCooldownHours: 168,
  };
  const changed = await api.call('PATCH', '/merchant', { key, body });
  expect(changed).toMatchObject({ status: 200, data: body });
  expect((await api.call('GET', '/merchant', { key })).data).toEqual(changed.data);
});

test('omitted fields stay unchanged, and an update without changes keeps updatedAt', async () => {
  const { key } = await makeMerchant(api.runtime);
  const first = await api.call('PATCH', '/merchant', { key, body: { timezone: 'Asia/Kolkata', trackingParamAliases: ['p'] } });
  const again = await api.call('PATCH', '/merchant', { key, body: { trackingParamAliases: ['p'] } });
  expect(again.data).toEqual(first.data);
  expect((await api.call('PATCH', '/merchant', { key, body: {} })).data).toEqual(first.data);
});

test('a country is stored in upper case, and company data can be removed', async () => {
  const { key } = await makeMerchant(api.runtime);
  const change = (body: unknown) => api.call('PATCH', '/merchant', { key, body });
  expect((await change({ country: 'gb', taxId: '1' })).data).toMatchObject({ country: 'GB', taxId: '1' });
  expect((await change({ country: null, taxId: null })).data).toMatchObject({ country: null, taxId: null });
});

test('a logo can be removed', async () => {
  const { key } = await makeMerchant(api.runtime);
  await api.call('PATCH', '/merchant', { key, body: { logoUrl: 'https://acme.example/logo.png' } });
  expect((await api.call('PATCH', '/merchant', { key, body: { logoUrl: null } })).data.logoUrl).toBeNull();
});

test('new defaults apply to programs created from now on', async () => {
  const { key } = await makeMerchant(api.runtime);
  const before = await makeProgram(api, key, { payoutThreshold: undefined });
  await api.call('PATCH', '/merchant', { key, body: { defaultCookieDuration: 7, defaultPayoutThreshold: 2500 } });
  const after = await makeProgram(api, key, { payoutThreshold: undefined });
  const read = async (id: string) => (await api.call('GET', `/programs/${id}`, { key })).data;
  expect(await read(before.programId)).toMatchObject({ cookieDuration: 30, payoutThreshold: 5000 });
  expect(await read(after.programId)).toMatchObject({ cookieDuration: 7, payoutThreshold: 2500 });
});

test.each([
  ['companyName', { companyName: '' }],
  ['companyName', { companyName: 'x'.repeat(101) }],
  ['companyName', { companyName: null }],
  ['logoUrl', { logoUrl: 'javascript:alert(1)' }],
  ['logoUrl', { logoUrl: 'https://me:secret@acme.example/logo.png' }],
  ['country', { country: 'Germany' }],
  ['country', { country: 'XX' }],
  ['country', { country: 'EU' }],
  ['country', { country: '12' }],
  ['vatId', { vatId: 'x'.repeat(33) }],
  ['addressLine1', { addressLine1: 'a\nb' }],
  ['timezone', { timezone: 'Mars/Olympus' }],
  ['timezone', { timezone: '+01:00' }],
  ['defaultCookieDuration', { defaultCookieDuration: 0 }],
  ['defaultCookieDuration', { defaultCookieDuration: 366 }],
  ['flagReviewDays', { flagReviewDays: 0 }],
  ['flagReviewDays', { flagReviewDays: 91 }],
  ['flagReviewDays', { flagReviewDays: 1.5 }],
  ['flagDeadlineAction', { flagDeadlineAction: 'approve' }],
  ['flagDeadlineAction', { flagDeadlineAction: null }],
  ['defaultCookieDuration', { defaultCookieDuration: 1.5 }],
  ['defaultPayoutThreshold', { defaultPayoutThreshold: 999 }],
  ['defaultPayoutThreshold', { defaultPayoutThreshold: 100_001 }],
  ['defaultPayoutThreshold', { defaultPayoutThreshold: '5000' }],
  ['trackingRequiresConsent', { trackingRequiresConsent: 'yes' }],
  ['trackingParamAliases.0', { trackingParamAliases: ['Via'] }],
  ['trackingParamAliases.0', { trackingParamAliases: ['x'.repeat(33)] }],
  ['trackingParamAliases', { trackingParamAliases: Array.from({ length: 11 }, (_, at) => `a${at}`) }],
  ['detailsCooldownHours', { detailsCooldownHours: -1 }],
  ['detailsCooldownHours', { detailsCooldownHours: 169 }],
  ['detailsCooldownHours', { detailsCooldownHours: 1.5 }],
  ['detailsCooldownHours', { detailsCooldownHours: null }],
  ['billingTier', { billingTier: 'pro' }],
  ['onboardingCompleted', { onboardingCompleted: true }],
])('an invalid %s is reported and nothing changes: %j', async (path, body) => {
  const rejected = await change(body);
  expect(rejected).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
});
