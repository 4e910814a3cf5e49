import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

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
    paymentPrefix: 'NW',
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

test('an invalid field is reported by name, and nothing changes', async () => {
  const { key } = await makeMerchant(api.runtime);
  const before = await api.call('GET', '/merchant', { key });
  const rejected = await api.call('PATCH', '/merchant', { key, body: { city: 'Berlin', timezone: '+01:00' } });
  const issues = [expect.objectContaining({ path: 'timezone' })];
  expect(rejected).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR', details: { issues } } });
  expect((await api.call('GET', '/merchant', { key })).data).toEqual(before.data);
});

test.each(['N', 'northwind', 'NORTHW', '1NW', 'N W', 'ÄB', ''])(
  '422: %p is no prefix of payment references',
  async (paymentPrefix) => {
    const { key } = await makeMerchant(api.runtime);
    const before = (await api.call('GET', '/merchant', { key })).data;
    expect((await api.call('PATCH', '/merchant', { key, body: { paymentPrefix } })).status).toBe(422);
    expect((await api.call('GET', '/merchant', { key })).data).toEqual(before);
  },
);
