import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, makeKey, makePayable } from '../../support/factories.ts';

const api = useTestApi();

test('details are confirmed by their owner, who is shown them masked', async () => {
  const { key, profileId } = await makePayable(api, { local: { holder: 'Ada' } });
  const confirm = (as: string) => api.call('POST', '/me/payout-info/confirm', { key: as });
  const own = await confirm(await makeAffiliateKey(api.runtime, profileId));
  expect(own).toMatchObject({ status: 200, data: { bankIban: '****3000', detailsRejected: null } });
  expect((await confirm(key)).status).toBe(403);
  const reader = await makeKey(api.runtime, { ownerId: profileId, keyType: 'affiliate', scopes: ['profile:read'] });
  expect((await confirm(reader.key)).error.code).toBe('INSUFFICIENT_SCOPE');
});

test('without details there is nothing to confirm', async () => {
  const { profileId } = await makePayable(api, { local: null });
  const key = await makeAffiliateKey(api.runtime, profileId);
  const { status, error } = await api.call('POST', '/me/payout-info/confirm', { key });
  expect([status, error.details.reason]).toEqual([409, 'PAYOUT_DETAILS_MISSING']);
});
