import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

test('a new merchant has the default settings', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const response = await api.call('GET', '/merchant', { key });
  expect(response.status).toBe(200);
  expect(response.data).toEqual({
    id: merchantId,
    userId: expect.any(String),
    companyName: expect.stringMatching(/^Company /),
    logoUrl: null,
    country: null,
    addressLine1: null,
    addressLine2: null,
    city: null,
    state: null,
    postalCode: null,
    vatId: null,
    taxId: null,
    billingTier: 'free',
    billingRequirementStatus: 'not_required',
    paymentPrefix: expect.stringMatching(/^[A-Z][A-Z0-9]{1,4}$/),
    payoutRails: { paypal: null, bank_transfer: null },
    paymentStatus: 'active',
    payoutDailyLimit: null,
    payoutApprovalThreshold: null,
    lastPaymentFailedAt: null,
    defaultCookieDuration: 30,
    defaultPayoutThreshold: 5000,
    timezone: 'UTC',
    trackingRequiresConsent: false,
    trackingParamAliases: [],
    detailsCooldownHours: 0,
    flagReviewDays: 14,
    flagDeadlineAction: 'keep_open',
    notificationPreferences: null,
    onboardingCompleted: false,
    onboardingStep: 1,
    createdAt: expect.any(String),
    updatedAt: response.data.createdAt,
  });
});

test('each merchant retrieves its own profile', async () => {
  const [a, b] = [await makeMerchant(api.runtime), await makeMerchant(api.runtime)];
  expect((await api.call('GET', '/merchant', { key: a.key })).data.id).toBe(a.merchantId);
  expect((await api.call('GET', '/merchant', { key: b.key })).data.id).toBe(b.merchantId);
});

test('400 for query parameters', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect(await api.call('GET', '/merchant', { key, query: { id: 'x' } })).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST' },
  });
});
