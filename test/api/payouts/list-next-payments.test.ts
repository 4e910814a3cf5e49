import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makePayable, sendSale } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';
import { makePerson, sell } from '../me/support.ts';
import { addMember, type Member, makePayees } from '../payout-runs/support.ts';

const api = useOwnApi();
const DAY_MS = 86_400_000;
const SYSTEM = { kind: 'system', name: 'test' } as const;

const paymentsOf = async (profileId: string) => {
  const { data } = await api.call('GET', '/me/next-payments', { key: await makeAffiliateKey(api.runtime, profileId) });
  return data;
};

test('what is payable is paid next: when the program has a schedule, at its turn', async () => {
  const { key, programId, affiliateId, profileId } = await makePayable(api);
  const [payment] = await paymentsOf(profileId);
  expect(payment).toEqual({
    affiliateId,
    programId,
    programName: expect.any(String),
    companyName: expect.any(String),
    currency: 'usd',
    amount: 2_000,
    reason: null,
    scheduledAt: null,
    payoutMethod: 'paypal',
    payoutFrequency: 'monthly',
    payoutThreshold: 1_000,
    pending: 0,
    nextReleaseAt: null,
    onHold: 0,
    inPayout: 0,
    latestPayout: null,
    detailsCooldownUntil: null,
  });
  await api.call('PATCH', `/programs/${programId}`, { key, body: { autoPayouts: { enabled: true } } });
  const [scheduled] = await paymentsOf(profileId);
  expect(Date.parse(scheduled.scheduledAt)).toBeGreaterThan(Date.now());
  expect(scheduled).toEqual({ ...payment, scheduledAt: scheduled.scheduledAt });
});

test('commissions in their hold period are not payable, and it is said when the next of them are', async () => {
  const { program, profileId, code, conversionId } = await makePayable(api, { program: { commissionHoldDays: 7 } });
  await sendSale(api, program, { referralCode: code, amount: 5_000 });
  const { em } = api.runtime.context(SYSTEM);
  await execute(em, sql`update conversion set release_at = release_at - interval '1 day' where id = ${conversionId}::uuid`);
  const [payment] = await paymentsOf(profileId);
  expect(payment).toMatchObject({ amount: 0, reason: 'NOTHING_PAYABLE', pending: 3_000 });
  const days = (Date.parse(payment.nextReleaseAt) - Date.now()) / DAY_MS;
  expect([days > 5.9, days <= 6]).toEqual([true, true]);
});

test('what a flag or a dispute holds has no date', async () => {
  const { key, affiliateId, profileId, conversionId } = await makePayable(api, { program: { commissionHoldDays: 7 } });
  const body = { affiliateId, conversionIds: [conversionId], note: 'Bids on our brand name' };
  expect((await api.call('POST', '/flags', { key, body })).status).toBe(201);
  expect(await paymentsOf(profileId)).toMatchObject([
    { reason: 'NOTHING_PAYABLE', pending: 2_000, onHold: 2_000, nextReleaseAt: null },
  ]);
});

test('TR7: the newest payout says what it waits for and what went wrong, until other details are entered', async () => {
  const { profileId, payoutId, act } = await makePayout(api);
  const { em } = api.runtime.context(SYSTEM);
  const latest = async () => (await paymentsOf(profileId))[0].latestPayout;
  const of = { id: payoutId, amount: 2_000 };
  await execute(em, sql`update payout set approval_required_at = now() where id = ${payoutId}::uuid`);
  expect(await latest()).toEqual({ ...of, situation: { state: 'to_approve', reason: null, next: null } });
  await execute(em, sql`update payout set approval_required_at = null where id = ${payoutId}::uuid`);
  await act('process');
  await act('fail', { note: 'The account is closed' });
  await execute(
    em,
    sql`update payout set failure_code = 'rail_rejected', rail_reason = 'account_closed' where id = ${payoutId}::uuid`,
  );
  expect(await latest()).toEqual({ ...of, situation: { state: 'failed', reason: 'rail_rejected', next: 'check_details' } });
  await execute(em, sql`update payout set needs_attention = true, review_reason = 'contradiction' where id = ${payoutId}::uuid`);
  expect(await latest()).toEqual({ ...of, situation: { state: 'under_review', reason: null, next: null } });
  await execute(em, sql`update payout set needs_attention = false, review_reason = null where id = ${payoutId}::uuid`);
  await execute(em, sql`update affiliate_profile set payout_details_confirmed_at = now() where id = ${profileId}::uuid`);
  expect(await latest()).toBeNull();
});

test('an affiliate is told the same reason as the merchant in the draft of a run', async () => {
  const { key, programId, program, members, draft, reasons } = await makePayees(api, 6);
  const [able, blocked, paused, inFlight, held, disputed] = members as [Member, Member, Member, Member, Member, Member];
  const small = await addMember(api, program, 1_000);
  const without = await addMember(api, program, 10_000, null);
  await api.call('POST', `/affiliates/${blocked.affiliateId}/block`, { key });
  await api.call('PATCH', `/affiliates/${paused.affiliateId}`, { key, body: { payoutsPaused: true } });
  await api.call('POST', '/payouts', { key, body: { affiliateId: inFlight.affiliateId, programId } });
  await sendSale(api, program, { referralCode: inFlight.code });
  const query = { affiliateId: held.affiliateId };
  const { data: conversions } = await api.call('GET', '/conversions', { key, query });
  const flag = { ...query, conversionIds: [conversions[0].id], note: 'Bids on our brand name' };
  await api.call('POST', '/flags', { key, body: flag });
  const { em } = api.runtime.context(SYSTEM);
  await execute(em, sql`update conversion set disputed_at = now() where affiliate_id = ${disputed.affiliateId}::uuid`);

  const told = await reasons((await draft()).data.id);
  const shown: Record<string, string | null> = {};
  for (const { affiliateId, profileId } of [able, blocked, paused, inFlight, held, disputed, small, without])
    shown[affiliateId] = (await paymentsOf(profileId))[0].reason;
  expect(shown).toEqual(told);
  expect(new Set(Object.values(shown)).size).toBe(8);
  expect(await paymentsOf(inFlight.profileId)).toMatchObject([{ amount: 2_000, inPayout: 2_000 }]);
  expect(await paymentsOf(small.profileId)).toMatchObject([{ amount: 200, payoutThreshold: 1_000 }]);
});

test('changed details wait as long as the merchant does', async () => {
  const { key, profileId } = await makePayable(api);
  await api.call('PATCH', '/merchant', { key, body: { detailsCooldownHours: 24 } });
  const affiliateKey = await makeAffiliateKey(api.runtime, profileId);
  const body = { paypalEmail: 'ok+new@example.com' };
  await api.call('PATCH', '/me/payout-info', { key: affiliateKey, body });
  const [payment] = await paymentsOf(profileId);
  expect(payment).toMatchObject({ amount: 2_000, reason: 'DETAILS_JUST_CHANGED' });
  const hours = (Date.parse(payment.detailsCooldownUntil) - Date.now()) / 3_600_000;
  expect([hours > 23, hours <= 24]).toEqual([true, true]);
});

test('whoever never earned anything is told so, or that they are blocked', async () => {
  const { key, programId } = await makePayable(api);
  const { affiliateId, profileId } = await makeAffiliate(api.runtime, programId);
  const nothing = { amount: 0, pending: 0, inPayout: 0, nextReleaseAt: null };
  expect(await paymentsOf(profileId)).toMatchObject([{ ...nothing, reason: 'NOTHING_PAYABLE' }]);
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  expect(await paymentsOf(profileId)).toMatchObject([{ ...nothing, reason: 'AFFILIATE_BLOCKED' }]);
});

test('the programs of a person are listed page by page, the newest first, and those of nobody else', async () => {
  const person = makePerson(api);
  const usd = await person.join({}, { paypalEmail: 'ok@example.com' });
  const eur = await person.join({ currency: 'eur' }, { paypalEmail: 'ok@example.com' });
  await sell(api, usd);
  await sell(api, eur, { currency: 'eur' });
  await addMember(api, usd.program);
  const get = await person.call(usd.profileId);
  const first = await get('/me/next-payments', { limit: '1' });
  const second = await get('/me/next-payments', { limit: '1', cursor: first.meta.nextCursor });
  const found = [first, second].map(({ data, meta }) => [data[0].programId, data[0].currency, data[0].amount, meta.total]);
  expect(found).toEqual([
    [eur.programId, 'eur', 2_000, 2],
    [usd.programId, 'usd', 2_000, 2],
  ]);
  expect(second.meta.hasMore).toBe(false);
});
