import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const makeKeyOf = async (local: Parameters<typeof makeAffiliate>[2]) => {
  const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  const { profileId } = await makeAffiliate(api.runtime, programId, local);
  return makeAffiliateKey(api.runtime, profileId);
};

test('without details, every field is null', async () => {
  const { status, data } = await api.call('GET', '/me/payout-info', { key: await makeKeyOf(null) });
  expect([status, Object.keys(data).sort()]).toEqual([
    200,
    'addressLine1 addressLine2 bankAccountHolder bankBic bankIban city detailsCooldownUntil detailsRejected firstName lastName payoutMethod paypalEmail postalCode state vatId'.split(
      ' ',
    ),
  ]);
  expect(new Set(Object.values(data))).toEqual(new Set([null]));
});

test('the IBAN is masked', async () => {
  const { data, text } = await api.call('GET', '/me/payout-info', { key: await makeKeyOf({ holder: 'Ada Byron' }) });
  expect(data).toMatchObject({ payoutMethod: 'bank_transfer', bankIban: '****3000', bankAccountHolder: 'Ada Byron' });
  expect(text).not.toContain('DE8937040044');
});
