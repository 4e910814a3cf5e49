import { makePerson, sell } from '../../api/me/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, makePayable } from '../../support/factories.ts';

const api = useTestApi();

const em = () => api.runtime.context({ kind: 'system', name: 'test' }).em;

/** A merchant who waits for a day, and an affiliate who just changed where they are paid. */
const makeChanged = async (detailsCooldownHours = 24) => {
  const own = await makePayable(api);
  const { key, affiliateId, programId, profileId } = own;
  await api.call('PATCH', '/merchant', { key, body: { detailsCooldownHours } });
  const affiliateKey = await makeAffiliateKey(api.runtime, profileId);
  const change = (body: object) => api.call('PATCH', '/me/payout-info', { key: affiliateKey, body });
  await change({ paypalEmail: 'ok+new@example.com' });
  const changedAgo = (time: string) =>
    em().execute(`update affiliate_profile set payout_details_changed_at = now() - interval '${time}' where id = ?`, [profileId]);
  const pay = () => api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const pending = async () => (await api.call('GET', '/payouts/pending', { key })).data[0];
  return { ...own, change, changedAgo, pay, pending };
};

test('a payout within the cooldown is 409, writes nothing and says until when; the list of pending payouts shows it', async () => {
  const { pay, pending, affiliateId, changedAgo } = await makeChanged();
  await changedAgo('23 hours 59 minutes');
  const refused = await pay();
  expect(refused).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'DETAILS_JUST_CHANGED', detailsCooldownUntil: expect.any(String) } },
  });
  const { detailsCooldownUntil } = await pending();
  expect(detailsCooldownUntil).toBe(refused.error.details.detailsCooldownUntil);
  const left = Date.parse(detailsCooldownUntil) - Date.now();
  expect([left > 0, left <= 60_000]).toEqual([true, true]);
  expect(await em().execute('select 1 from payout where affiliate_id = ?', [affiliateId])).toEqual([]);
});

test('after the cooldown the payout is created', async () => {
  const { pay, pending, changedAgo } = await makeChanged();
  await changedAgo('24 hours 1 second');
  expect((await pending()).detailsCooldownUntil).toBeNull();
  expect((await pay()).status).toBe(201);
});

test('without a cooldown, changed details are used at once', async () => {
  const { pay, pending } = await makeChanged(0);
  expect((await pending()).detailsCooldownUntil).toBeNull();
  expect((await pay()).status).toBe(201);
});

test('a retry is under the same rule', async () => {
  const { key, change, changedAgo, pay } = await makeChanged();
  await changedAgo('2 days');
  const { data } = await pay();
  await api.call('POST', `/payouts/${data.id}/cancel`, { key });
  await change({ paypalEmail: 'ok+third@example.com' });
  const retry = await api.call('POST', `/payouts/${data.id}/retry`, { key });
  expect(retry).toMatchObject({ status: 409, error: { details: { reason: 'DETAILS_JUST_CHANGED' } } });
});

test('the cooldown of one merchant does not hold up another', async () => {
  const person = makePerson(api);
  const [waiting, other] = [await person.join({}, { paypalEmail: 'ok@example.com' }), await person.join()];
  await api.call('PATCH', '/merchant', { key: waiting.key, body: { detailsCooldownHours: 168 } });
  for (const own of [waiting, other]) await sell(api, own);
  const key = await makeAffiliateKey(api.runtime, waiting.profileId);
  await api.call('PATCH', '/me/payout-info', { key, body: { paypalEmail: 'ok+new@example.com' } });
  const pay = ({ key, affiliateId, programId }: typeof waiting) =>
    api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect([(await pay(waiting)).status, (await pay(other)).status]).toEqual([409, 201]);
});
