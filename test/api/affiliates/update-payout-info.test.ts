import type { InternalEvent } from '../../../src/contracts/internal-events.ts';
import { updatePayoutInfo } from '../../../src/domains/affiliates/use-cases/update-payout-info.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makePayable, makeProgram } from '../../support/factories.ts';

const api = useTestApi();
const IBAN = 'DE89370400440532013000';

const makePerson = async (local: Parameters<typeof makeAffiliate>[2] = null) => {
  const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  const { profileId } = await makeAffiliate(api.runtime, programId, local);
  const key = await makeAffiliateKey(api.runtime, profileId);
  const update = (body: unknown) => api.call('PATCH', '/me/payout-info', { key, body });
  const read = async () => (await api.call('GET', '/me/payout-info', { key })).data;
  return { profileId, update, read };
};

const stored = (profileId: string) =>
  firstRow(
    api.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<{ row: string; method: string | null; changedAt: string | null; updatedAt: string }>`select row_to_json(p)::text as row,
      payout_method as method, payout_details_changed_at as "changedAt", updated_at as "updatedAt"
      from affiliate_profile p where id = ${profileId}::uuid`,
  );

test('details are stored encrypted, returned with the IBAN masked, and changed field by field', async () => {
  const { profileId, update, read } = await makePerson();
  const changed = await update({
    bankIban: 'de89 3704 0044 0532 0130 00',
    bankAccountHolder: 'Ada Byron',
    bankBic: 'cobadeffxxx',
  });
  expect(changed).toMatchObject({
    status: 200,
    data: { payoutMethod: 'bank_transfer', bankIban: '****3000', bankAccountHolder: 'Ada Byron', bankBic: 'COBADEFFXXX' },
  });
  expect(changed.text).not.toContain('370400440');
  expect((await stored(profileId))?.row).not.toMatch(/370400440|Ada Byron|COBADEFF/);
  await update({ firstName: 'Ada', city: 'Berlin' });
  expect(await read()).toEqual({ ...changed.data, firstName: 'Ada', city: 'Berlin' });
  await update({ city: null });
  expect(await read()).toEqual({ ...changed.data, firstName: 'Ada' });
});

test('the time of the change is that of the last change of the destination, and never that of a repeat', async () => {
  const { profileId, update } = await makePerson('first');
  expect((await stored(profileId))?.changedAt).toBeNull();
  await update({ firstName: 'Ada', vatId: 'DE123456789' });
  await update({ paypalEmail: 'first@example.com', payoutMethod: 'paypal' });
  expect((await stored(profileId))?.changedAt).toBeNull();
  await update({ paypalEmail: 'second@example.com' });
  const first = await stored(profileId);
  expect(first?.changedAt).not.toBeNull();
  await update({ paypalEmail: 'second@example.com' });
  expect(await stored(profileId)).toEqual(first);
});

test('a change of the destination tells listeners both addresses, and nothing else does', async () => {
  const { profileId } = await makePerson('first');
  const heard: InternalEvent[] = [];
  const change = (changes: object) =>
    updatePayoutInfo(
      {
        ...api.runtime.context({ kind: 'key', keyId: profileId, keyType: 'affiliate', ownerId: profileId, scopes: [] }),
        internalListeners: [async (_ctx, event) => void heard.push(event)],
      },
      changes,
    );
  await change({ firstName: 'Ada' });
  await change({ paypalEmail: 'second@example.com' });
  await change({ paypalEmail: 'second@example.com' });
  expect(heard).toEqual([
    {
      type: 'payout.details_changed',
      profileId,
      affiliateId: null,
      changeId: expect.any(String),
      oldAddress: 'first@example.com',
      newAddress: 'second@example.com',
      undo: null,
    },
  ]);
});

test('a new destination is used for the next payout, and not for one that exists', async () => {
  const own = await makePayable(api, { local: { holder: 'Ada Byron' } });
  const { key, affiliateId, programId } = own;
  const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const affiliateKey = await makeAffiliateKey(api.runtime, own.profileId);
  const body = { bankIban: 'FR1420041010050500013M02606', bankAccountHolder: 'Ada Lovelace' };
  await api.call('PATCH', '/me/payout-info', { key: affiliateKey, body });
  await api.call('POST', `/payouts/${data.id}/process`, { key });
  const instructions = await api.call('GET', `/payouts/${data.id}/instructions`, { key });
  expect(instructions.data.recipient).toMatchObject({ bankIban: IBAN, bankAccountHolder: 'Ada Byron' });
  await api.call('POST', `/payouts/${data.id}/fail`, { key, body: { note: 'Sent back' } });
  const retried = await api.call('POST', `/payouts/${data.id}/retry`, { key });
  await api.call('POST', `/payouts/${retried.data.id}/process`, { key });
  expect((await api.call('GET', `/payouts/${retried.data.id}/instructions`, { key })).data.recipient).toMatchObject(body);
});

test('changes at the same time keep the fields of both', async () => {
  const { update, read } = await makePerson('first');
  await Promise.all([update({ firstName: 'Ada' }), update({ lastName: 'Byron' }), update({ city: 'Berlin' })]);
  expect(await read()).toMatchObject({ firstName: 'Ada', lastName: 'Byron', city: 'Berlin', paypalEmail: 'first@example.com' });
});

test.each([
  ['bankIban', { bankIban: 'DE00370400440532013000', bankAccountHolder: 'Ada' }],
  ['bankIban', { bankIban: '****3000' }],
  ['bankIban', { bankIban: 5 }],
  ['bankIban', { payoutMethod: 'bank_transfer' }],
  ['bankAccountHolder', { bankIban: IBAN }],
  ['bankAccountHolder', { bankIban: IBAN, bankAccountHolder: 'Ada\nByron' }],
  ['bankBic', { bankIban: IBAN, bankAccountHolder: 'Ada', bankBic: 'COBA' }],
  ['bankBic', { bankIban: IBAN, bankAccountHolder: 'Ada', bankBic: 'BNPAFRPPXXX' }],
  ['bankBic', { bankBic: 'COBADEFFXXX' }],
  ['paypalEmail', { paypalEmail: 'ada' }],
  ['paypalEmail', { paypalEmail: null }],
  ['paypalEmail', { paypalEmail: `${'a'.repeat(250)}@example.com` }],
  ['payoutMethod', { payoutMethod: 'cash' }],
  ['firstName', { firstName: '' }],
  ['postalCode', { postalCode: '1'.repeat(21) }],
  ['country', { country: 'DE' }],
  ['payoutDetailsChangedAt', { payoutDetailsChangedAt: null, firstName: 'Ada' }],
])('an invalid %s is reported without its value, and changes nothing: %j', async (path, body) => {
  const { profileId, update } = await makePerson('first');
  const before = await stored(profileId);
  const response = await update(body);
  expect(response).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
  expect(response.text).not.toMatch(/370400440|BNPAFR/);
  expect(await stored(profileId)).toEqual(before);
});
