import { MAX_AMOUNT_MINOR } from '../../../src/platform/money.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makePayable, sendSale } from '../../support/factories.ts';

const api = useOwnApi();

type Member = { affiliateId: string; programId: string; key: string };
const pay = ({ affiliateId, programId, key }: Member, more: Record<string, unknown> = {}) =>
  api.call('POST', '/payouts', { key, body: { affiliateId, programId, ...more } });
const limit = (key: string, payoutDailyLimit: unknown) => api.call('PATCH', '/merchant', { key, body: { payoutDailyLimit } });

/** A merchant with affiliates who can each be paid 20.00 usd. */
const makeMembers = async (count: number): Promise<Member[]> => {
  const first = await makePayable(api);
  const { program, programId, key } = first;
  const members: Member[] = [first];
  while (members.length < count) {
    const { affiliateId, code } = await makeAffiliate(api.runtime, programId);
    await sendSale(api, program, { referralCode: code });
    members.push({ affiliateId, programId, key });
  }
  return members;
};

describe('MN8: what was handed out and then marked as failed', () => {
  const act = ({ key }: Member, id: string, verb: string) =>
    api.call('POST', `/payouts/${id}/${verb}`, { key, ...(verb === 'return' && { body: { note: 'It came back' } }) });

  it('still counts for the daily limit, so that nobody pays it twice and says that it was not paid', async () => {
    const [first, second] = await makeMembers(2);
    if (!first || !second) throw new Error('two members');
    await limit(first.key, { usd: 2_000 });
    const { data: payout } = await pay(first);
    await act(first, payout.id, 'process');
    expect((await api.call('GET', `/payouts/${payout.id}/instructions`, { key: first.key })).status).toBe(200);
    expect((await act(first, payout.id, 'fail')).data).toMatchObject({ status: 'failed', failureCode: 'marked_failed' });
    const refusal = { reason: 'DAILY_LIMIT', limit: 2_000, created: 2_000, amount: 2_000, currency: 'usd' };
    expect((await act(first, payout.id, 'retry')).error?.details).toEqual(refusal);
    expect((await pay(second)).error?.details).toEqual(refusal);
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    await em.execute("update payout set created_at = created_at - interval '24 hours' where id = ?", [payout.id]);
    expect((await pay(second)).status).toBe(201);
  });

  it.each([
    ['completed and then returned', ['process', 'complete', 'return'], 409],
    ['begun and then marked as failed', ['process', 'fail'], 409],
    ['cancelled before anybody could pay it', ['cancel'], 201],
  ])('a payout that was %s', async (_, verbs, status) => {
    const [first, second] = await makeMembers(2);
    if (!first || !second) throw new Error('two members');
    await limit(first.key, { usd: 2_000 });
    const { data: payout } = await pay(first);
    for (const verb of verbs) expect((await act(first, payout.id, verb)).status).toBe(200);
    expect((await pay(second)).status).toBe(status);
  });
});

describe('MO1: the daily limit', () => {
  it('refuses what exceeds it with what was created in 24 hours, and failed payouts do not count', async () => {
    const [first, second, third] = await makeMembers(3);
    if (!first || !second || !third) throw new Error('three members');
    const { key } = first;
    expect((await limit(key, { USD: 4_000 })).data.payoutDailyLimit).toEqual({ usd: 4_000 });
    const { data: payout } = await pay(first);
    expect((await pay(second)).status).toBe(201);
    const refused = await pay(third);
    expect(refused).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    expect(refused.error.details).toEqual({
      reason: 'DAILY_LIMIT',
      limit: 4_000,
      created: 4_000,
      amount: 2_000,
      currency: 'usd',
    });
    expect((await api.call('POST', `/payouts/${payout.id}/cancel`, { key })).status).toBe(200);
    expect((await pay(third)).status).toBe(201);
    const retry = await api.call('POST', `/payouts/${payout.id}/retry`, { key });
    expect(retry.error.details).toMatchObject({ reason: 'DAILY_LIMIT' });
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    await em.execute('update merchant set payout_daily_limit = null where id = (select merchant_id from payout where id = ?)', [
      payout.id,
    ]);
    expect((await pay(first)).status).toBe(201);
  });

  it('counts 24 hours back, and is never exceeded by payouts at once', async () => {
    const members = await makeMembers(6);
    const key = members[0]?.key ?? '';
    await limit(key, { usd: 5_999 });
    const answers = await Promise.all(members.map((member) => pay(member)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    const { em } = api.runtime.context({ kind: 'system', name: 'test' });
    await em.execute(
      "update payout set created_at = created_at - interval '24 hours' where merchant_id = (select merchant_id from program where id = ?)",
      [members[0]?.programId],
    );
    const left = members.filter((_, at) => answers[at]?.status === 409);
    expect((await Promise.all(left.map((member) => pay(member)))).filter(({ status }) => status === 201)).toHaveLength(2);
  });

  it.each([
    [{ usd: 1_999 }, 409],
    [{ jpy: 19 }, 409],
    [{ jpy: 20 }, 201],
    [{ kwd: 20_000, eur: 2_000 }, 201],
    [{ kwd: 20_000, eur: 1_999 }, 409],
    [{ jpy: 1, usd: 2_000 }, 201],
    [{}, 201],
  ])('the limit of %j is taken at par of the main unit where the currency has none of its own: %i', async (given, status) => {
    const [member] = await makeMembers(1);
    if (!member) throw new Error('one member');
    await limit(member.key, given);
    expect((await pay(member)).status).toBe(status);
  });

  it.each([
    [{ xxxx: 1 }],
    [{ usd: 0 }],
    [{ usd: -1 }],
    [{ usd: 1.5 }],
    [{ usd: '1' }],
    [{ usd: MAX_AMOUNT_MINOR + 1 }],
    [[]],
    [1_000],
  ])('a limit of %j is a 422', async (given) => {
    const [member] = await makeMembers(1);
    expect((await limit(member?.key ?? '', given)).status).toBe(422);
  });
});

test('MO1: a payout is at most the largest amount; what is left is in the next one', async () => {
  const member = await makePayable(api);
  const { key, affiliateId } = member;
  const bonus = { kind: 'bonus', amount: MAX_AMOUNT_MINOR, note: 'Large' };
  for (let n = 0; n < 2; n++)
    expect((await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: bonus })).status).toBe(201);
  const amounts: number[] = [];
  for (let n = 0; n < 3; n++) {
    const { data } = await pay(member);
    amounts.push(data.amount);
    await api.call('POST', `/payouts/${data.id}/process`, { key });
    await api.call('POST', `/payouts/${data.id}/complete`, { key });
  }
  expect(Math.max(...amounts)).toBeLessThanOrEqual(MAX_AMOUNT_MINOR);
  expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(2 * MAX_AMOUNT_MINOR + 2_000);
});

describe('MO8: belowThreshold', () => {
  const raise = ({ programId, key }: Member) =>
    api.call('PATCH', `/programs/${programId}`, { key, body: { payoutThreshold: 5_000 } });

  it('pays a balance below the threshold, with a note, and a retry does too', async () => {
    const member = await makePayable(api);
    await raise(member);
    expect((await pay(member)).error.details).toMatchObject({ reason: 'BELOW_THRESHOLD', payable: 2_000, threshold: 5_000 });
    expect((await pay(member, { belowThreshold: false })).status).toBe(409);
    for (const notes of [undefined, '']) {
      const refused = await pay(member, { belowThreshold: true, notes });
      expect([refused.status, refused.error.details.issues[0].path]).toEqual([422, 'notes']);
    }
    const made = await pay(member, { belowThreshold: true, notes: 'Leaves the program' });
    expect(made).toMatchObject({ status: 201, data: { amount: 2_000 } });
    await api.call('POST', `/payouts/${made.data.id}/cancel`, { key: member.key });
    const retry = await api.call('POST', `/payouts/${made.data.id}/retry`, { key: member.key });
    expect(retry).toMatchObject({ status: 201, data: { amount: 2_000, notes: 'Leaves the program' } });
  });

  it('lifts neither a block, nor a pause, nor an empty balance', async () => {
    const member = await makePayable(api);
    const { key, affiliateId } = member;
    await raise(member);
    const small = { belowThreshold: true, notes: 'Small' };
    await api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { payoutsPaused: true } });
    expect((await pay(member, small)).error.details.reason).toBe('PAYOUTS_PAUSED');
    await api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { payoutsPaused: false } });
    await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
    expect((await pay(member, small)).error.details.reason).toBe('AFFILIATE_BLOCKED');
    await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
    const { data } = await pay(member, small);
    await api.call('POST', `/payouts/${data.id}/process`, { key });
    await api.call('POST', `/payouts/${data.id}/complete`, { key });
    expect((await pay(member, small)).error.details.reason).toBe('NOTHING_PAYABLE');
  });
});
