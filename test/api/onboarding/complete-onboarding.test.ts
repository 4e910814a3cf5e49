import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';

const api = useTestApi();

const complete = (key: string, body?: unknown) =>
  api.call('POST', '/onboarding/complete', { key, ...(body === undefined ? {} : { body }) });

test('the setup is complete, also when it is completed again', async () => {
  const { key } = await makeMerchant(api.runtime);
  for (let time = 0; time < 2; time++) {
    expect(await complete(key)).toMatchObject({ status: 200, data: { onboardingCompleted: true, onboardingStep: 4 } });
  }
  expect((await api.call('GET', '/me', { key })).data.owner).toMatchObject({ onboardingCompleted: true, onboardingStep: 4 });
});

test('an onboarding key is 403: it cannot end its own setup', async () => {
  const { merchantId, key: merchantKey } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, keyType: 'onboarding' });
  expect(await complete(key)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
  expect((await api.call('GET', '/merchant', { key: merchantKey })).data.onboardingCompleted).toBe(false);
});

test('400 for a body', async () => {
  const { key } = await makeMerchant(api.runtime);
  expect(await complete(key, { step: 4 })).toMatchObject({ status: 400, error: { details: { reason: 'BODY_NOT_ALLOWED' } } });
});
