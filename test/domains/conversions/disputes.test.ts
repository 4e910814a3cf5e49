import { approveCommissions } from '../../../src/domains/conversions/use-cases/approve-commissions.ts';
import { recordCumulativeRefund } from '../../../src/domains/conversions/use-cases/record-cumulative-refund.ts';
import { recordDispute } from '../../../src/domains/conversions/use-cases/record-dispute.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { checkPayout } from '../../../src/domains/payouts/use-cases/check-payout.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendSale, unique } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const inDays = (days: number) => ({ ...context(), clock: { now: () => new Date(Date.now() + days * DAY_MS) } });

type Status = Parameters<typeof recordDispute>[1]['status'];

const eventsOf = (programId: string, saleId: string) => {
  const sale = { programId, provider: 'events' as const, externalId: saleId };
  const dispute = (status: Status, more: { disputedGross?: number; disputeId?: string } = {}) =>
    recordDispute(context(), {
      sale,
      disputeId: `dp_${saleId}`,
      status,
      disputedGross: 11_900,
      chargedGross: 11_900,
      occurredAt: new Date(),
      ...more,
    });
  const refund = (refundedGross: number) =>
    recordCumulativeRefund(context(), {
      sale,
      refundedGross,
      chargedGross: 11_900,
      occurredAt: new Date(),
      cause: 'refund',
    });
  return { dispute, refund };
};

const setUp = async (settings: Record<string, unknown> = {}) => {
  const made = await makePayable(api, { program: { commissionHoldDays: 0, ...settings } });
  const { key, affiliateId, programId, conversionId } = made;
  const read = async () => (await api.call('GET', `/conversions/${conversionId}`, { key })).data;
  const pay = () => api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const pending = async () => (await api.call('GET', '/payouts/pending', { key })).data;
  return { ...made, ...eventsOf(programId, made.saleId), read, pay, pending };
};

describe('an open dispute', () => {
  it('holds a pending commission past its hold period until it is closed', async () => {
    const { dispute, read } = await setUp({ commissionHoldDays: 30 });
    expect((await dispute('opened')).outcome).toBe('recorded');
    expect((await read()).disputedAt).toEqual(expect.any(String));
    await approveCommissions(inDays(31), { limit: 100 });
    expect((await read()).status).toBe('pending');
    await dispute('closed');
    await approveCommissions(inDays(31), { limit: 100 });
    expect(await read()).toMatchObject({ status: 'approved', disputedAt: null });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('keeps an approved commission out of payouts, and out of what is pending', async () => {
    const { dispute, pay, pending, program, code } = await setUp();
    await dispute('opened');
    expect(await pay()).toMatchObject({ status: 409, error: { details: { reason: 'NOTHING_PAYABLE', payable: 0 } } });
    expect(await pending()).toMatchObject([{ pendingAmount: 0, heldAmount: 2_000, meetsThreshold: false, commissionCount: 0 }]);
    await sendSale(api, program, { amount: 20_000, referralCode: code });
    expect(await pending()).toMatchObject([{ pendingAmount: 4_000, heldAmount: 2_000, commissionCount: 1 }]);
    expect((await pay()).data.amount).toBe(4_000);
    expect(await verifyLedger(context())).toEqual([]);
    await dispute('closed');
    expect(await pending()).toMatchObject([{ pendingAmount: 2_000, heldAmount: 0 }]);
  });

  it('fails a payout before its first attempt, and not one that is being paid', async () => {
    const payout = await makeManualPayout(api);
    const { dispute } = eventsOf(payout.programId, payout.saleId);
    await dispute('opened');
    expect((await payout.act('process')).data).toMatchObject({ status: 'failed', failureCode: 'items_held' });
    expect(await verifyLedger(context())).toEqual([]);
    const paid = await makeManualPayout(api);
    await paid.act('process');
    await eventsOf(paid.programId, paid.saleId).dispute('opened');
    expect((await paid.act('complete')).data.status).toBe('completed');
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('wakes the workflow of a payout that waits for a person', async () => {
    const { payoutId, programId, saleId, affiliateId, key, read } = await makeManualPayout(api);
    await checkPayout(context(), { payoutId });
    const { em } = context();
    await em.execute('delete from outbox where subject_id = ?', [payoutId]);
    const { dispute } = eventsOf(programId, saleId);
    await dispute('opened');
    expect(await em.execute('select topic from outbox where subject_id = ?', [payoutId])).toEqual([{ topic: 'payout.changed' }]);
    expect(await checkPayout(context(), { payoutId })).toMatchObject({ status: 'failed', failureCode: 'items_held' });
    expect(await read()).toMatchObject({ status: 'failed', failureCode: 'items_held' });
    await dispute('closed');
    expect((await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data.amount).toBe(2_000);
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a hold that is missing on the commission is found by the ledger check', async () => {
    const { dispute, conversionId } = await setUp();
    await dispute('opened');
    const { em } = context();
    const set = (value: string) => em.execute(`update conversion set disputed_at = ${value} where id = ?`, [conversionId]);
    await set('null');
    const findings = await verifyLedger(context());
    await set('(select disputed_at from sale where id = sale_id)');
    expect(findings).toMatchObject([{ rule: 'an open dispute holds the commission of its sale', subject: conversionId }]);
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('the hold of two disputes lasts until both are closed', async () => {
    const { dispute, read } = await setUp();
    await dispute('opened', { disputeId: 'one' });
    await dispute('opened', { disputeId: 'two' });
    await dispute('closed', { disputeId: 'one' });
    expect((await read()).disputedAt).not.toBeNull();
    await dispute('closed', { disputeId: 'two' });
    expect((await read()).disputedAt).toBeNull();
  });
});

describe('a dispute that is lost', () => {
  it('takes the commission back like a refund, also after a payout, once', async () => {
    const { dispute, read, pay, pending } = await setUp();
    await pay();
    await dispute('opened');
    await dispute('lost');
    expect((await dispute('lost')).outcome).toBe('duplicate');
    expect(await read()).toMatchObject({ status: 'refunded', commission: 0, refundedAmount: 10_000, disputedAt: null });
    expect(await pending()).toEqual([]);
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a lost dispute counts in any order of arrival, also before the sale', async () => {
    const orders: Status[][] = [
      ['opened', 'lost'],
      ['lost', 'opened'],
      ['closed', 'lost', 'opened'],
    ];
    const { program, programId, code, key } = await setUp({ commissionHoldDays: 30 });
    for (const order of orders) {
      for (const at of [0, 1, order.length]) {
        const saleId = `sale-${unique()}`;
        const { dispute } = eventsOf(programId, saleId);
        for (const [n, status] of order.entries()) {
          if (n === at) await sendSale(api, program, { saleId, referralCode: code });
          await dispute(status, { disputedGross: 5_950 });
        }
        if (at === order.length) await sendSale(api, program, { saleId, referralCode: code });
        const [conversion] = (await api.call('GET', '/conversions', { key, query: { externalSaleId: saleId } })).data;
        expect(conversion).toMatchObject({ refundedAmount: 5_000, commission: 1_000, disputedAt: null });
      }
    }
    expect(await verifyLedger(context())).toEqual([]);
  });
});

describe('a cumulative refund', () => {
  it('a cumulative refund is a share of what was charged with tax, and the largest total counts', async () => {
    const { refund, read } = await setUp();
    expect(await refund(3_967)).toMatchObject({ outcome: 'recorded' });
    expect(await read()).toMatchObject({ refundedAmount: 3_334, commission: 1_333 });
    expect(await refund(3_967)).toMatchObject({ outcome: 'duplicate' });
    expect(await refund(1_000)).toMatchObject({ outcome: 'duplicate' });
    await refund(11_900);
    expect(await read()).toMatchObject({ status: 'refunded', refundedAmount: 10_000, commission: 0 });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a cumulative refund before its sale waits for it, and a dispute that is open then holds the commission from the start', async () => {
    const { program, programId, code, key } = await setUp();
    const saleId = `sale-${unique()}`;
    const { refund, dispute } = eventsOf(programId, saleId);
    expect(await refund(5_950)).toEqual({ outcome: 'waiting', conversionId: null });
    expect(await dispute('opened')).toEqual({ outcome: 'waiting', conversionId: null });
    await sendSale(api, program, { saleId, referralCode: code });
    const [conversion] = (await api.call('GET', '/conversions', { key, query: { externalSaleId: saleId } })).data;
    expect(conversion).toMatchObject({ status: 'partially_refunded', commission: 1_000, disputedAt: expect.any(String) });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a cumulative refund of a sale that nobody was credited for reduces the sale', async () => {
    const { program, programId, key } = await setUp();
    const saleId = `sale-${unique()}`;
    await sendSale(api, program, { saleId });
    const { refund } = eventsOf(programId, saleId);
    expect(await refund(11_900)).toEqual({ outcome: 'unattributed', conversionId: null });
    expect((await api.call('GET', '/sales', { key, query: { externalSaleId: saleId } })).data).toMatchObject([
      { refundedAmount: 10_000 },
    ]);
  });
});
