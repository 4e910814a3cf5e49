import { startMailTry } from '../../../src/domains/notifications/index.ts';
import { mailsAbout, testContext } from '../../domains/notifications/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, makePayable, makeProgram } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { makePerson } from '../me/support.ts';
import { ALL_ON, announced, makeJoined, notificationsOf } from './support.ts';

const api = useTestApi();

/** The kinds of the mails to two affiliates with the same choice, one of whom was paid and one not. */
const mailsOfPayouts = async (change: object) => {
  const [paid, failed] = [await makeManualPayout(api), await makeManualPayout(api)];
  for (const { profileId } of [paid, failed]) {
    const { put } = notificationsOf(api, await makeAffiliateKey(api.runtime, profileId));
    expect((await put(change)).status).toBe(200);
  }
  await paid.act('process');
  await paid.act('complete');
  await failed.act('process');
  await failed.act('fail', { note: 'wrong account' });
  const mails = [...(await mailsAbout(api.runtime, paid.payoutId)), ...(await mailsAbout(api.runtime, failed.payoutId))];
  return mails.map(({ kind }) => kind);
};

test('all mails are on at first, and a change leaves the others as they are', async () => {
  const { profileId } = await makePayable(api);
  const { get, put } = notificationsOf(api, await makeAffiliateKey(api.runtime, profileId));
  expect(await get()).toEqual(ALL_ON);
  expect((await put({ completedPayouts: false })).data).toEqual({ ...ALL_ON, completedPayouts: false });
  expect((await put({ programNews: false })).data).toEqual({ ...ALL_ON, completedPayouts: false, programNews: false });
  expect((await put({ completedPayouts: true })).data).toEqual({ ...ALL_ON, programNews: false });
  expect((await put({ programNews: true })).data).toEqual(ALL_ON);
  expect(await get()).toEqual(ALL_ON);
});

test('mails about completed payouts are switched off, those about failed ones are not', async () => {
  expect(await mailsOfPayouts({ completedPayouts: true })).toEqual(['payout_completed', 'payout_failed']);
  expect(await mailsOfPayouts({ completedPayouts: false })).toEqual(['payout_failed']);
  expect(await mailsOfPayouts({ programNews: false })).toEqual(['payout_completed', 'payout_failed']);
});

test('mails about changed payout details go on whatever is switched off', async () => {
  const { profileId } = await makePayable(api);
  const key = await makeAffiliateKey(api.runtime, profileId);
  await notificationsOf(api, key).put({ completedPayouts: false, programNews: false });
  await api.call('PATCH', '/me/payout-info', { key, body: { paypalEmail: 'ok+new@example.com' } });
  const kinds = (await mailsAbout(api.runtime, profileId)).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['payout_details_changed']));
});

test('news of one program or of all are switched off and on again', async () => {
  const owner = await makeJoined(api);
  const { put } = notificationsOf(api, owner.affiliateKey);
  expect(await announced(api, owner)).toHaveLength(1);
  await put({ mutedPrograms: [owner.programId] });
  expect(await announced(api, owner)).toEqual([]);
  await put({ mutedPrograms: [] });
  expect(await announced(api, owner)).toHaveLength(1);
  await put({ programNews: false });
  expect(await announced(api, owner)).toEqual([]);
  await put({ programNews: true });
  expect(await announced(api, owner)).toHaveLength(1);
});

test('switching news off takes back what waits to be sent', async () => {
  const owner = await makeJoined(api);
  const [mail] = await announced(api, owner);
  await notificationsOf(api, owner.affiliateKey).put({ programNews: false });
  const step = await startMailTry(testContext(api.runtime), { mailId: mail?.id ?? '' });
  expect(step).toMatchObject({ kind: 'end', snapshot: { status: 'given_up' } });
});

test('a program that the caller has not joined is 422 and changes nothing', async () => {
  const person = makePerson(api);
  const own = await person.join();
  const { programId: other } = await makeProgram(api, own.key);
  const { get, put } = notificationsOf(api, await makeAffiliateKey(api.runtime, own.profileId));
  await put({ mutedPrograms: [own.programId] });
  const refused = await put({ completedPayouts: false, mutedPrograms: [own.programId, other] });
  expect(refused).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
  expect(await get()).toEqual({ ...ALL_ON, mutedPrograms: [own.programId] });
});
