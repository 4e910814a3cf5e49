import { useTestApi } from '../../support/api.ts';
import { makePayable } from '../../support/factories.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';
import { makePerson, sell } from '../me/support.ts';

const api = useTestApi();

const makePaid = async () => {
  const person = makePerson(api);
  const payIn = async (settings: Record<string, unknown>) => {
    const own = await person.join(settings, { paypalEmail: 'ok@example.com' });
    const currency = typeof settings['currency'] === 'string' ? { currency: settings['currency'] } : {};
    await sell(api, own, currency);
    const { key, affiliateId, programId } = own;
    const body = { affiliateId, programId, notes: 'For our records' };
    return { ...own, payout: (await api.call('POST', '/payouts', { key, body })).data };
  };
  const [usd, eur] = [await payIn({}), await payIn({ currency: 'eur' })];
  return { usd, eur, get: await person.call(usd.profileId) };
};

test('payouts of all programs are listed, newest first, with only what concerns the affiliate', async () => {
  const { usd, eur, get } = await makePaid();
  const response = await get('/me/payouts');
  const shared = { amount: 2_000, status: 'pending', method: 'paypal', failureCode: null, createdAt: expect.any(String) };
  const times = { processingAt: null, completedAt: null, paidAt: null, paidOn: null, failedAt: null };
  const situation = { state: 'to_pay', reason: null, next: null };
  expect(response.data).toEqual([
    {
      id: eur.payout.id,
      affiliateId: eur.affiliateId,
      programId: eur.programId,
      paymentReference: eur.payout.paymentReference,
      currency: 'eur',
      ...shared,
      ...times,
      situation,
    },
    {
      id: usd.payout.id,
      affiliateId: usd.affiliateId,
      programId: usd.programId,
      paymentReference: usd.payout.paymentReference,
      currency: 'usd',
      ...shared,
      ...times,
      situation,
    },
  ]);
  expect(response.meta).toMatchObject({ total: 2 });
  expect(response.text).not.toContain('For our records');
});

test('program_id selects one program; a missing, malformed or foreign one gives none, or 400', async () => {
  const { usd, get } = await makePaid();
  const theirs = await makePayout(api);
  const list = (program_id: string) => get('/me/payouts', { program_id });
  expect((await list(usd.programId)).data).toEqual([expect.objectContaining({ id: usd.payout.id })]);
  expect((await list(theirs.programId)).data).toEqual([]);
  expect((await list(MISSING_ID)).data).toEqual([]);
  expect((await list('x')).status).toBe(400);
  expect((await get('/me/payouts', { programId: usd.programId })).status).toBe(400);
});

test('pages follow each other by cursor', async () => {
  const { usd, eur, get } = await makePaid();
  const first = await get('/me/payouts', { limit: '1' });
  const second = await get('/me/payouts', { limit: '1', cursor: first.meta.nextCursor });
  expect([first.data[0].id, second.data[0].id, second.meta.hasMore]).toEqual([eur.payout.id, usd.payout.id, false]);
});

test('payouts of other affiliates of the same program are never listed', async () => {
  const theirs = await makePayable(api);
  const { key, affiliateId, programId } = theirs;
  await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const person = makePerson(api);
  const { profileId } = await person.joinProgram(theirs.program);
  expect((await (await person.call(profileId))('/me/payouts')).data).toEqual([]);
});
