import { blockAffiliate } from '../../../src/domains/affiliates/use-cases/affiliate.ts';
import { applyFlagDeadline, rejectFlagged } from '../../../src/domains/flags/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { checkPayout } from '../../../src/domains/payouts/use-cases/check-payout.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { useTestApi } from '../../support/api.ts';
import { sendRefund, sendSale, unique } from '../../support/factories.ts';
import { makeFlag, raise } from '../../support/flags.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
afterEach(async () => expect(await verifyLedger(context())).toEqual([]));

const ROUNDS = 12;
const overdue = async (action: 'confirm' | 'dismiss') => {
  const own = await makeFlag(api, { ageMs: 15 * DAY_MS });
  await api.call('PATCH', '/merchant', { key: own.key, body: { flagDeadlineAction: action } });
  return own;
};

test('resolve against deadline: one of them decides, and the money follows it', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { flagId, resolve, readFlag, conversion } = await overdue('confirm');
    const [response] = await Promise.all([resolve('dismissed'), applyFlagDeadline(context(), { flagId })]);
    const flag = await readFlag();
    expect([response.status, flag.deadlineAction]).toEqual(flag.status === 'dismissed' ? [200, null] : [409, 'confirm']);
    expect((await conversion()).status).toBe(flag.status === 'dismissed' ? 'approved' : 'rejected');
  }
});

test('two workers at the deadline apply it once', async () => {
  const { flagId, merchantId } = await overdue('dismiss');
  await Promise.all([1, 2, 3].map(() => applyFlagDeadline(context(), { flagId })));
  expect(await rowsOf(api, 'select deadlines, status from flag where id = ?', [flagId])).toEqual([
    { deadlines: 1, status: 'dismissed' },
  ]);
  const resolved = `select 1 from webhook_event where merchant_id = ? and type = 'flag.resolved'`;
  expect(await rowsOf(api, resolved, [merchantId])).toHaveLength(1);
});

test('before the deadline nothing is applied', async () => {
  const { flagId } = await makeFlag(api);
  expect(await applyFlagDeadline(context(), { flagId })).toMatchObject({ status: 'open', deadlineAction: null });
});

test('evidence against resolve: it is part of what was resolved, or opens another flag that holds', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const own = await makeFlag(api);
    const sale = await sendSale(api, own.program, { saleId: unique(), referralCode: own.code });
    const conversionIds = [sale.data.conversionId];
    const [raised, resolved] = await Promise.all([raise(api, own, { conversionIds }), own.resolve('confirmed')]);
    expect(resolved.status).toBe(200);
    expect(raised.opened).toBe(raised.flagId !== own.flagId);
    const { data } = await api.call('GET', `/conversions/${sale.data.conversionId}`, { key: own.key });
    expect(data.status).toBe(raised.opened ? 'approved' : 'rejected');
    expect((await own.pay()).error.details.reason).toBe('NOTHING_PAYABLE');
  }
});

test('payout against raise: a payout never pays what the flag holds', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const own = await makeFlag(api, { conversionIds: [] });
    const [paid] = await Promise.all([own.pay(), raise(api, own)]);
    if (paid.status === 201)
      expect(await checkPayout(context(), { payoutId: paid.data.id })).toMatchObject({ failureCode: 'items_held' });
    else expect(paid.error.details.reason).toBe('NOTHING_PAYABLE');
    expect(await own.balance()).toMatchObject({ payable: 2_000, inPayout: 0, paid: 0 });
  }
});

test('a payout without an attempt is told when a flag holds one of its commissions', async () => {
  const own = await makeFlag(api, { conversionIds: [] });
  const { data } = await own.pay();
  await rowsOf(api, 'delete from outbox where subject_id = ?', [data.id]);
  await raise(api, own);
  expect(await rowsOf(api, 'select topic from outbox where subject_id = ?', [data.id])).toEqual([{ topic: 'payout.changed' }]);
  await rowsOf(api, 'delete from outbox where subject_id = ?', [data.id]);
  await raise(api, own, { details: { again: true } });
  expect(await rowsOf(api, 'select topic from outbox where subject_id = ?', [data.id])).toEqual([]);
});

test('a returned payout against a resolution and another payout: nothing that is confirmed is paid again', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const own = await makeFlag(api, { conversionIds: [] });
    const { data } = await own.pay();
    const act = (verb: string, body = {}) => api.call('POST', `/payouts/${data.id}/${verb}`, { key: own.key, body });
    await act('process');
    await act('complete');
    await raise(api, own);
    const [returned, resolved, paid] = await Promise.all([
      act('return', { note: 'Closed' }),
      own.resolve('confirmed'),
      own.pay(),
    ]);
    expect([returned.status, resolved.status, paid.error.details.reason]).toEqual([200, 200, 'NOTHING_PAYABLE']);
    expect((await own.pay()).error.details.reason).toBe('NOTHING_PAYABLE');
    expect(await rejectFlagged(context(), { flagId: own.flagId })).toMatchObject({ isHolding: false });
    expect(await own.conversion()).toMatchObject({ status: 'rejected', commission: 0 });
    expect(await own.balance()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
  }
});

test('a block in the middle of a resolution waits for it', async () => {
  const own = await makeFlag(api);
  const [resolved, blocked] = await Promise.all([
    own.resolve('confirmed', { blockAffiliate: true }),
    blockAffiliate(context(), { id: own.affiliateId, reason: 'Bids on our brand name' }),
  ]);
  expect([resolved.status, blocked.status]).toEqual([200, 'blocked']);
  expect((await own.conversion()).status).toBe('rejected');
});

test('a failed resolution leaves the affiliate and the flag as they were', async () => {
  const own = await makeFlag(api);
  const failed = inTransaction(context(), async (ctx) => {
    await blockAffiliate(ctx, { id: own.affiliateId });
    throw new Error('crash');
  });
  await expect(failed).rejects.toThrow('crash');
  expect(await own.readFlag()).toMatchObject({ status: 'open', holdEndedAt: null });
  expect((await own.resolve('dismissed')).status).toBe(200);
});

test('everything about one affiliate at the same time ends without a deadlock', async () => {
  const own = await makeFlag(api);
  const { key, program, affiliateId, programId, code } = own;
  const responses: { status: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const saleId = unique();
    const { data } = await sendSale(api, program, { saleId, referralCode: code });
    const conversionIds = [data.conversionId];
    const { flagId } = await raise(api, own, { conversionIds });
    const path = `/flags/${flagId}/resolve`;
    const [, ...answered] = await Promise.all([
      raise(api, own, { conversionIds, type: 'conversion_anomaly' }),
      api.call('POST', path, { key, body: { status: 'confirmed', blockAffiliate: round % 2 === 0 } }),
      api.call('POST', path, { key, body: { status: 'dismissed' } }),
      api.call('POST', '/payouts', { key, body: { affiliateId, programId } }),
      sendSale(api, program, { saleId: unique(), referralCode: code }),
      sendRefund(api, program, { saleId, amount: 100 }),
      api.call('POST', `/affiliates/${affiliateId}/unblock`, { key }),
      api.call('POST', '/flags', { key, body: { affiliateId, conversionIds, note: 'Again' } }),
    ]);
    responses.push(...answered);
    await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
  }
  expect(responses.filter(({ status }) => status >= 400 && status !== 409)).toEqual([]);
});
