import { randomUUID } from 'node:crypto';
import { rejectFlagged } from '../../../src/domains/flags/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makePayable } from '../../support/factories.ts';
import { makeFlag } from '../../support/flags.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi({ RAIL_PAYPAL: 'manual' });
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
afterEach(async () => expect(await verifyLedger(context())).toEqual([]));

interface SentEvent {
  type: string;
  data: Record<string, unknown>;
}

const eventsOf = (merchantId: string): Promise<SentEvent[]> =>
  rows(
    context().em,
    sql<SentEvent>`select type, convert_from(body, 'UTF8')::jsonb -> 'data' as data from webhook_event
      where merchant_id = ${merchantId}::uuid order by id`,
  );

describe.each(['dismissed', 'reviewed'] as const)('%s', (status) => {
  test('approves what the flag held', async () => {
    const { resolve, pay, readFlag, merchantId } = await makeFlag(api);
    expect((await pay()).error.details.reason).toBe('NOTHING_PAYABLE');
    const { status: code, data } = await resolve(status, { note: 'Checked with the affiliate.' });
    const { situation, ...flag } = await readFlag();
    expect([code, data, situation.state]).toEqual([200, flag, status]);
    expect(data).toMatchObject({
      status,
      note: 'Checked with the affiliate.',
      resolvedAt: expect.any(String),
      deadlineAction: null,
    });
    expect(data.holdEndedAt).toBe(data.resolvedAt);
    expect((await pay()).status).toBe(201);
    const resolved = (await eventsOf(merchantId)).filter(({ type }) => type === 'flag.resolved');
    expect(resolved).toEqual([{ type: 'flag.resolved', data }]);
  });

  test('approves what became due meanwhile', async () => {
    const { resolve, conversion, balance } = await makeFlag(api, { program: { commissionHoldDays: 30 } });
    await rowsOf(api, `update conversion set release_at = now() - interval '1 hour' where id = ?`, [(await conversion()).id]);
    expect((await conversion()).status).toBe('pending');
    await resolve(status);
    expect((await conversion()).status).toBe('approved');
    expect(await balance()).toMatchObject({ pending: 0, payable: 2_000 });
  });
});

describe('confirmed', () => {
  test.each([
    ['payable', 0],
    ['pending', 30],
  ])('rejects a %s commission, in the ledger and in an event', async (_account, commissionHoldDays) => {
    const { resolve, conversion, balance, merchantId, affiliateId, key } = await makeFlag(api, {
      program: { commissionHoldDays },
    });
    const { data } = await resolve('confirmed');
    expect(data).toMatchObject({ status: 'confirmed', holdEndedAt: expect.any(String) });
    expect(await conversion()).toMatchObject({ status: 'rejected', commission: 0 });
    expect(await balance()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
    const refunded = (await eventsOf(merchantId)).filter(({ type }) => type === 'conversion.refunded');
    expect(refunded.map(({ data }) => data)).toEqual([
      expect.objectContaining({ refundAmount: 0, commissionReduction: 2_000, reason: 'FLAG_CONFIRMED', status: 'rejected' }),
    ]);
    const affiliate = (await api.call('GET', `/affiliates/${affiliateId}`, { key })).data;
    expect(affiliate).toMatchObject({ status: 'approved', totalConversions: 0, totalRevenue: 0, totalEarnings: 0 });
  });

  test('takes the trust in the affiliate back, as no other resolution does', async () => {
    for (const [status, tier] of [
      ['confirmed', 'new'],
      ['dismissed', 'trusted'],
    ] as const) {
      const { resolve, affiliateId } = await makeFlag(api);
      await rowsOf(api, `update affiliate set trust_tier = 'trusted' where id = ?`, [affiliateId]);
      await resolve(status);
      expect(await rowsOf(api, 'select trust_tier from affiliate where id = ?', [affiliateId])).toEqual([{ trust_tier: tier }]);
    }
  });

  test('blocks the affiliate when asked', async () => {
    const { resolve, key, affiliateId, merchantId } = await makeFlag(api);
    await resolve('confirmed', { blockAffiliate: true });
    const affiliate = (await api.call('GET', `/affiliates/${affiliateId}`, { key })).data;
    expect(affiliate).toMatchObject({ status: 'blocked', blockedReason: 'A flag was confirmed' });
    const types = (await eventsOf(merchantId)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['affiliate.blocked', 'conversion.refunded', 'flag.resolved']);
  });

  test('leaves what was refunded or paid as it is', async () => {
    const { resolve, pay, conversion, ...own } = await makePaidFlag();
    expect((await resolve('confirmed')).data).toMatchObject({ status: 'confirmed', holdEndedAt: expect.any(String) });
    expect(await conversion()).toMatchObject({ status: 'approved', commission: 2_000 });
    expect(await own.balance()).toMatchObject({ payable: 0, paid: 2_000 });
  });

  test('holds what was paid and comes back, until it is rejected', async () => {
    const { resolve, pay, conversion, comeBack, flagOf, ...own } = await makePaidFlag();
    await resolve('confirmed');
    const { id: flagId } = await flagOf();
    await rowsOf(api, 'delete from outbox where subject_id = ?', [flagId]);
    expect((await comeBack()).data).toMatchObject({ status: 'failed', failureCode: 'returned' });
    expect((await pay()).error.details.reason).toBe('NOTHING_PAYABLE');
    expect(await own.balance()).toMatchObject({ payable: 2_000, paid: 0 });
    expect(await flagOf()).toMatchObject({ status: 'confirmed', holdEndedAt: null });
    expect(await rowsOf(api, 'select topic, reconciled from outbox where subject_id = ?', [flagId])).toEqual([
      { topic: 'flag.start', reconciled: true },
    ]);
    expect(await rejectFlagged(context(), { flagId })).toMatchObject({ isHolding: false });
    expect(await conversion()).toMatchObject({ status: 'rejected', commission: 0 });
    expect(await own.balance()).toMatchObject({ payable: 0, paid: 0 });
    expect(await flagOf()).toMatchObject({ holdEndedAt: expect.any(String) });
  });

  test('a dismissed flag holds nothing of a payout that comes back', async () => {
    const { resolve, pay, comeBack } = await makePaidFlag();
    await resolve('dismissed');
    await comeBack();
    expect((await pay()).data).toMatchObject({ amount: 2_000 });
  });
});

const makePaidFlag = async () => {
  const own = await makeFlag(api, { conversionIds: [] });
  const { data } = await own.pay();
  await api.call('POST', `/payouts/${data.id}/process`, { key: own.key });
  await api.call('POST', `/payouts/${data.id}/complete`, { key: own.key });
  const conversionIds = [own.conversionId];
  await api.call('POST', '/flags', { key: own.key, body: { affiliateId: own.affiliateId, conversionIds, note: 'Too late' } });
  const manual = (await api.call('GET', '/flags', { key: own.key, query: { type: 'manual_review' } })).data[0];
  const resolve = (status: string) => api.call('POST', `/flags/${manual.id}/resolve`, { key: own.key, body: { status } });
  const comeBack = () =>
    api.call('POST', `/payouts/${data.id}/return`, { key: own.key, body: { note: 'The account is closed' } });
  const flagOf = async () => (await api.call('GET', '/flags', { key: own.key, query: { type: 'manual_review' } })).data[0];
  return { ...own, resolve, comeBack, flagOf };
};

test('a note that is left out stays', async () => {
  const { key, affiliateId } = await makePayable(api);
  const made = await api.call('POST', '/flags', { key, body: { affiliateId, note: 'Bids on our brand name' } });
  const resolved = await api.call('POST', `/flags/${made.data.id}/resolve`, { key, body: { status: 'reviewed' } });
  expect(resolved.data.note).toBe('Bids on our brand name');
});

test('409 ALREADY_RESOLVED for a second resolution, which changes nothing', async () => {
  const { resolve, readFlag, conversion } = await makeFlag(api);
  const first = await resolve('dismissed');
  const second = await resolve('confirmed', { note: 'No', blockAffiliate: true });
  expect(second).toMatchObject({
    status: 409,
    error: { details: { reason: 'ALREADY_RESOLVED', status: 'dismissed', resolvedAt: first.data.resolvedAt } },
  });
  expect([await readFlag(), (await conversion()).affiliateId]).toMatchObject([first.data, first.data.affiliateId]);
});

test('of several resolutions at once, one wins', async () => {
  const { resolve, readFlag, conversion } = await makeFlag(api);
  const asked = ['confirmed', 'dismissed', 'reviewed', 'confirmed', 'dismissed'];
  const responses = await Promise.all(asked.map((status) => resolve(status)));
  const won = responses.filter(({ status }) => status === 200);
  expect([won.length, responses.filter(({ status }) => status === 409).length]).toEqual([1, 4]);
  expect(await readFlag()).toMatchObject(won[0]?.data);
  expect((await conversion()).status).toBe(won[0]?.data.status === 'confirmed' ? 'rejected' : 'approved');
});

describe('changes nothing', () => {
  test("404 for a missing flag, 403 for another merchant's", async () => {
    const { flagId, readFlag } = await makeFlag(api);
    const before = await readFlag();
    const { key } = await makeMerchant(api.runtime);
    const body = { status: 'confirmed', blockAffiliate: true };
    expect(await api.call('POST', `/flags/${randomUUID()}/resolve`, { key, body })).toMatchObject({ status: 404 });
    expect(await api.call('POST', `/flags/${flagId}/resolve`, { key, body })).toMatchObject({ status: 403 });
    expect(await readFlag()).toEqual(before);
  });

  test.each([
    ['status', {}],
    ['status', { status: 'open' }],
    ['status', { status: 'closed' }],
    ['resolution', { status: 'dismissed', resolution: 'dismissed' }],
    ['note', { status: 'dismissed', note: 'x'.repeat(1_001) }],
    ['note', { status: 'dismissed', note: null }],
    ['blockAffiliate', { status: 'confirmed', blockAffiliate: 'yes' }],
    ['blockAffiliate', { status: 'dismissed', blockAffiliate: true }],
    ['blockAffiliate', { status: 'reviewed', blockAffiliate: true }],
  ])('422 for a bad %s', async (path, body) => {
    const { key, flagId, readFlag } = await makeFlag(api);
    const response = await api.call('POST', `/flags/${flagId}/resolve`, { key, body });
    expect([response.status, response.error.details.issues[0].path]).toEqual([422, path]);
    expect((await readFlag()).status).toBe('open');
  });
});
