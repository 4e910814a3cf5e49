import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/clock.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeCoupon,
  makeMerchant,
  makeProgram,
  type SaleFacts,
  sendRefund,
  sendSale,
  unique,
} from '../../support/factories.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

/** Minutes before now; affiliates joined an hour ago. */
const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

const setUp = async (settings: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, { commissionHoldDays: 30, ...settings });
  const join = async () => {
    const affiliate = await makeAffiliate(api.runtime, program.programId);
    await rows(
      context().em,
      sql`update affiliate set created_at = created_at - interval '1 hour' where id = ${affiliate.affiliateId}::uuid`,
    );
    return affiliate;
  };
  const customer = { id: `c-${unique()}`, email: `buyer-${unique()}@example.org` };
  const { key } = merchant;
  const pay = async (facts: SaleFacts) => {
    const saleId = facts.saleId ?? `sale-${unique()}`;
    const response = await sendSale(api, program, { customer, ...facts, saleId });
    if (response.status !== 200) throw new Error(response.text);
    const row = await firstRow(
      context().em,
      sql<{ affiliateId: string | null; reason: string | null; status: string | null }>`
        select s.affiliate_id as "affiliateId", s.reason, c.status from sale s left join conversion c on c.sale_id = s.id
        where s.external_id = ${saleId}`,
    );
    return { ...row, ...response.data };
  };
  const block = (id: string) => api.call('POST', `/affiliates/${id}/block`, { key });
  const unblock = (id: string) => api.call('POST', `/affiliates/${id}/unblock`, { key });
  return { ...merchant, program, join, pay, block, unblock };
};

const refundEvents = async (merchantId: string) =>
  (
    await rows(
      context().em,
      sql<{ body: Buffer }>`select body from webhook_event where merchant_id = ${merchantId}::uuid
        and type = 'conversion.refunded' order by id`,
    )
  ).map(({ body }) => JSON.parse(body.toString()).data);

describe('B1: a match that is a blocked affiliate', () => {
  it('the sale is recorded unattributed, without a step back to an older affiliate, and credited again once unblocked', async () => {
    const { join, pay, block, unblock } = await setUp();
    const [older, newer] = [await join(), await join()];
    expect(await pay({ referralCode: older.code })).toMatchObject({ affiliateId: older.affiliateId });
    expect(await pay({ referralCode: newer.code })).toMatchObject({ affiliateId: newer.affiliateId });
    await block(newer.affiliateId);
    const rejected = { outcome: 'unattributed', affiliateId: null, reason: 'AFFILIATE_BLOCKED' };
    expect(await pay({})).toMatchObject(rejected);
    expect(await pay({ referralCode: newer.code })).toMatchObject(rejected);
    expect(await pay({})).toMatchObject(rejected);
    await unblock(newer.affiliateId);
    expect(await pay({})).toMatchObject({ outcome: 'recorded', affiliateId: newer.affiliateId });
  });

  it('stays the match of later renewals when the customer came with the code during the block', async () => {
    const { join, pay, block, unblock } = await setUp();
    const [older, newer] = [await join(), await join()];
    await pay({ referralCode: older.code });
    await block(newer.affiliateId);
    await pay({ referralCode: newer.code });
    expect(await pay({})).toMatchObject({ outcome: 'unattributed', reason: 'AFFILIATE_BLOCKED' });
    await unblock(newer.affiliateId);
    expect(await pay({})).toMatchObject({ affiliateId: newer.affiliateId });
  });

  it('a renewal follows its own subscription first', async () => {
    const { join, pay } = await setUp();
    const [first, second] = [await join(), await join()];
    await pay({ referralCode: first.code, subscriptionId: 'sub-1' });
    await pay({ referralCode: second.code, subscriptionId: 'sub-2' });
    expect(await pay({ subscriptionId: 'sub-1' })).toMatchObject({ affiliateId: first.affiliateId });
    expect(await pay({ subscriptionId: 'sub-2' })).toMatchObject({ affiliateId: second.affiliateId });
    expect(await pay({ subscriptionId: 'sub-3' })).toMatchObject({ affiliateId: second.affiliateId });
  });

  it('sales that race with a block are either credited before it or not at all', async () => {
    const { join, pay, block, key } = await setUp();
    const { code, affiliateId } = await join();
    const results = await Promise.all([
      ...Array.from({ length: 6 }, () => pay({ referralCode: code, customer: { id: unique(), email: 'b@example.org' } })),
      block(affiliateId),
      ...Array.from({ length: 6 }, () => pay({ referralCode: code, customer: { id: unique(), email: 'b@example.org' } })),
    ]);
    expect(results.every((result) => result !== undefined)).toBe(true);
    const late = await rows(
      context().em,
      sql`select 1 from conversion c join affiliate a on a.id = c.affiliate_id
        where a.id = ${affiliateId}::uuid and c.created_at > a.blocked_at`,
    );
    expect(late).toEqual([]);
    expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).data.status).toBe('blocked');
  });
});

test('MO11: a coupon counts for sales that are stamped in its own second, and for none before', async () => {
  const { join, pay, program } = await setUp();
  const { affiliateId } = await join();
  const { couponCode } = await makeCoupon(api.runtime, { programId: program.programId, affiliateId });
  const second = ago(10).replace(/\.\d{3}Z$/, '');
  await rows(context().em, sql`update coupon set created_at = ${`${second}.700Z`}::timestamptz where code = ${couponCode}`);
  const customer = () => ({ id: unique(), email: `buyer-${unique()}@example.org` });
  const before = new Date(Date.parse(`${second}Z`) - 1).toISOString();
  expect(await pay({ couponCode, occurredAt: before, customer: customer() })).toMatchObject({ outcome: 'unattributed' });
  for (const occurredAt of [`${second}Z`, `${second}.699Z`, `${second}.999Z`]) {
    const paid = await pay({ couponCode, occurredAt, customer: customer() });
    expect([occurredAt, paid.affiliateId]).toEqual([occurredAt, affiliateId]);
  }
});

describe('B3: the order of sales is when they occurred', () => {
  it('a sale before the affiliate joined earns nothing, and moves neither later sales nor a limited window', async () => {
    const { join, pay } = await setUp({ commissionType: 'recurring_limited', commissionLimitMonths: 1 });
    const { code, affiliateId } = await join();
    expect(await pay({ referralCode: code, occurredAt: '2020-01-01T00:00:00Z' })).toMatchObject({
      outcome: 'unattributed',
      reason: 'BEFORE_AFFILIATE_JOINED',
    });
    expect(await pay({ occurredAt: ago(30) })).toMatchObject({ reason: 'NO_MATCH' });
    expect(await pay({ referralCode: code, occurredAt: ago(20) })).toMatchObject({ affiliateId });
    expect(await pay({ occurredAt: ago(10) })).toMatchObject({ affiliateId });
  });

  it('a sale before its customer was attributed earns nothing, although it is delivered later', async () => {
    const { join, pay } = await setUp();
    const { code, affiliateId } = await join();
    await pay({ referralCode: code, occurredAt: ago(20) });
    expect(await pay({ occurredAt: ago(21) })).toMatchObject({ outcome: 'unattributed', reason: 'NO_MATCH' });
    expect(await pay({ occurredAt: ago(19) })).toMatchObject({ affiliateId });
  });

  it('a late renewal goes to the affiliate of its time', async () => {
    const { join, pay } = await setUp();
    const [first, second] = [await join(), await join()];
    await pay({ referralCode: first.code, occurredAt: ago(30) });
    await pay({ referralCode: second.code, occurredAt: ago(10) });
    expect(await pay({ occurredAt: ago(20) })).toMatchObject({ affiliateId: first.affiliateId });
    expect(await pay({ occurredAt: ago(5) })).toMatchObject({ affiliateId: second.affiliateId });
  });

  it('recurring_limited counts from the first payment by occurrence', async () => {
    const { join, pay, program } = await setUp({ commissionType: 'recurring_limited', commissionLimitMonths: 1 });
    const { code, affiliateId } = await join();
    await rows(
      context().em,
      sql`update affiliate set created_at = created_at - interval '1 year' where program_id = ${program.programId}::uuid`,
    );
    const days = (n: number) => new Date(Date.now() - n * DAY_MS).toISOString();
    await pay({ referralCode: code, occurredAt: days(10) });
    expect(await pay({ referralCode: code, occurredAt: days(50) })).toMatchObject({ affiliateId });
    expect(await pay({ occurredAt: days(5) })).toMatchObject({ outcome: 'unattributed', reason: 'LIMIT_REACHED' });
    expect(await pay({ occurredAt: days(40) })).toMatchObject({ affiliateId });
  });

  it('422 more than 5 minutes ahead', async () => {
    const { program, pay } = await setUp();
    const rejected = await sendSale(api, program, { occurredAt: ago(-6) });
    expect(rejected).toMatchObject({ status: 422, error: { details: { issues: [{ path: 'data.occurredAt' }] } } });
    expect((await sendSale(api, program, { occurredAt: '2099-01-01T00:00:00Z' })).status).toBe(422);
    expect((await pay({ occurredAt: ago(-4) })).outcome).toBe('unattributed');
  });
});

describe('B3: one_time pays the first payment by occurrence', () => {
  const oneTime = { commissionType: 'one_time' };

  it('an earlier payment with evidence takes the place of a pending one, which is rejected', async () => {
    const { join, pay, merchantId, key } = await setUp(oneTime);
    const [first, second] = [await join(), await join()];
    const later = await pay({ saleId: `late-${unique()}`, referralCode: second.code, occurredAt: ago(10), amount: 10_000 });
    const earlier = await pay({ referralCode: first.code, occurredAt: ago(20), amount: 5_000 });
    expect(earlier).toMatchObject({ outcome: 'recorded', affiliateId: first.affiliateId, status: 'pending' });
    expect(await refundEvents(merchantId)).toMatchObject([
      {
        id: later.conversionId,
        status: 'rejected',
        commission: 0,
        refundAmount: 0,
        commissionReduction: 2_000,
        reason: 'NOT_FIRST_PAYMENT',
      },
    ]);
    const balance = async (id: string) => (await api.call('GET', `/affiliates/${id}`, { key, query: { include: 'stats' } })).data;
    expect(await balance(second.affiliateId)).toMatchObject({ totalEarnings: 0, totalRevenue: 0, stats: { pending: 0 } });
    expect(await balance(first.affiliateId)).toMatchObject({ totalEarnings: 1_000, stats: { pending: 1_000 } });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a rejection without its ledger entry is found by the ledger check', async () => {
    const { join, pay } = await setUp(oneTime);
    const { code, affiliateId } = await join();
    const { conversionId } = await pay({ referralCode: code });
    const set = (commission: number) =>
      rows(context().em, sql`update conversion set commission = ${commission}::bigint where id = ${conversionId}::uuid`);
    await set(0);
    const findings = await verifyLedger(context());
    await set(2_000);
    expect(findings).toEqual([
      { rule: 'pending balance is backed by pending commissions', subject: affiliateId, detail: '2000' },
    ]);
  });

  it('a refund of a rejected payment books nothing', async () => {
    const { join, pay, program, key } = await setUp(oneTime);
    const { code, affiliateId } = await join();
    const saleId = `late-${unique()}`;
    await pay({ saleId, referralCode: code, occurredAt: ago(10) });
    await pay({ referralCode: code, occurredAt: ago(20) });
    expect((await sendRefund(api, program, { saleId, amount: 10_000 })).data.outcome).toBe('recorded');
    expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).data).toMatchObject({
      totalRevenue: 10_000,
      totalEarnings: 2_000,
    });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('an earlier payment without evidence moves nothing', async () => {
    const { join, pay, merchantId } = await setUp(oneTime);
    const { code } = await join();
    await pay({ referralCode: code, occurredAt: ago(10) });
    expect(await pay({ occurredAt: ago(20) })).toMatchObject({ outcome: 'unattributed', reason: 'NO_MATCH' });
    expect(await refundEvents(merchantId)).toEqual([]);
    expect(await pay({ referralCode: code, occurredAt: ago(5) })).toMatchObject({ reason: 'NOT_FIRST_PAYMENT' });
  });

  it('FIRST_PAYMENT_SETTLED when the later payment is approved already', async () => {
    const { join, pay, merchantId } = await setUp({ ...oneTime, commissionHoldDays: 0 });
    const { code } = await join();
    expect(await pay({ referralCode: code, occurredAt: ago(10) })).toMatchObject({ status: 'approved' });
    expect(await pay({ referralCode: code, occurredAt: ago(20) })).toMatchObject({
      outcome: 'unattributed',
      reason: 'FIRST_PAYMENT_SETTLED',
    });
    expect(await refundEvents(merchantId)).toEqual([]);
  });

  it('payments delivered at the same time in any order credit the first one only', async () => {
    const { join, pay, program } = await setUp(oneTime);
    const [a, b] = [await join(), await join()];
    const minutes = [5, 35, 15, 45, 25, 10];
    await Promise.all(minutes.map((at, n) => pay({ referralCode: n % 2 ? a.code : b.code, occurredAt: ago(at) })));
    const live = await rows(
      context().em,
      sql<{ first: boolean }>`select s.occurred_at = (select min(occurred_at) from sale where program_id = s.program_id) as first
        from conversion c join sale s on s.id = c.sale_id
        where c.program_id = ${program.programId}::uuid and c.status = 'pending'`,
    );
    expect(live).toEqual([{ first: true }]);
    expect(await verifyLedger(context())).toEqual([]);
  });
});

test.each([
  { settings: { commissionType: 'one_time' }, reason: 'NOT_FIRST_PAYMENT' },
  { settings: { commissionType: 'recurring_limited', commissionLimitMonths: 1 }, reason: 'LIMIT_REACHED' },
])('an earlier payment displaces what evidence credited, not what a person did: $reason', async ({ settings, reason }) => {
  const { join, pay, program, key } = await setUp(settings);
  const { code, affiliateId } = await join();
  await rows(
    context().em,
    sql`update affiliate set created_at = created_at - interval '1 year' where program_id = ${program.programId}::uuid`,
  );
  const days = (n: number) => new Date(Date.now() - n * DAY_MS).toISOString();
  const saleId = `manual-${unique()}`;
  await pay({ referralCode: code, occurredAt: days(1) });
  await pay({ saleId, occurredAt: days(2) });
  const [sale] = (await api.call('GET', '/sales', { key, query: { externalSaleId: saleId } })).data;
  await api.call('POST', `/sales/${sale.id}/attribute`, { key, body: { affiliateId, note: 'The customer named Ada' } });
  await pay({ referralCode: code, occurredAt: days(40) });
  const credited = await rows(
    context().em,
    sql<unknown>`select c.status, s.reason, s.id = ${sale.id}::uuid as "isManual" from sale s join conversion c on c.sale_id = s.id
      where s.program_id = ${program.programId}::uuid order by s.occurred_at`,
  );
  expect(credited).toEqual([
    { status: 'pending', reason: null, isManual: false },
    { status: 'pending', reason: null, isManual: true },
    { status: 'rejected', reason, isManual: false },
  ]);
  expect(await verifyLedger(context())).toEqual([]);
});
