import { useOwnApi } from '../../support/api.ts';
import { makeKey, makeMerchant, unique } from '../../support/factories.ts';
import { FAKE_ACCOUNT } from '../../support/rails/fake-account-rail.ts';
import { scriptChecks, storeAccount, useAccountRail } from '../../support/rails/scripted-account-rail.ts';

const api = useOwnApi({}, { asOwner: true });
useAccountRail(api, scriptChecks().definition);

it('says what can be connected, with the fields of its form, and which rail pays each method', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { status, data } = await api.call('GET', '/merchant/rail-accounts', { key });
  expect(status).toBe(200);
  expect(data.accounts).toEqual([]);
  const fake = data.rails.find(({ rail }: { rail: string }) => rail === FAKE_ACCOUNT);
  expect(fake).toMatchObject({ label: 'Fake', methods: ['paypal', 'bank_transfer'] });
  expect(fake.fields).toContainEqual({
    ...{ name: 'clientSecret', label: 'Secret', hint: null, kind: 'secret', isRequired: true, options: [] },
  });
  expect(data.methods).toMatchObject([
    { method: 'paypal', rail: 'manual', chosen: null },
    { method: 'bank_transfer', rail: 'manual', chosen: null },
  ]);
  expect(data.methods[0].options).toContainEqual({ rail: FAKE_ACCOUNT, label: 'Fake' });
});

it('shows no account of another merchant, and no secret of an own one', async () => {
  const [one, other] = [await makeMerchant(api.runtime), await makeMerchant(api.runtime)];
  const account = { url: 'http://127.0.0.1:9', clientId: `client-${unique()}`, clientSecret: 's3cret', webhookSecret: 's3cret' };
  await storeAccount(api, one.merchantId, account);
  expect((await api.call('GET', '/merchant/rail-accounts', { key: other.key })).data.accounts).toEqual([]);
  const own = await api.call('GET', '/merchant/rail-accounts', { key: one.key });
  expect(own.data.accounts).toMatchObject([{ status: 'unchecked', checkedAt: null }]);
  expect(own.text).not.toContain('s3cret');
});

it('needs payouts:read', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['merchant:read'] });
  expect((await api.call('GET', '/merchant/rail-accounts', { key })).error.code).toBe('INSUFFICIENT_SCOPE');
});
