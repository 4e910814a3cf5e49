import { addEvidence } from '../../../src/domains/conversions/use-cases/add-evidence.ts';
import { recordSale } from '../../../src/domains/conversions/use-cases/record-sale.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { MINUTE_MS } from '../../../src/platform/clock.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeClick,
  makeCoupon,
  makeMerchant,
  makeProgram,
  type SaleFacts,
  sendIdentification,
  sendRefund,
  sendSale,
  unique,
} from '../../support/factories.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

const setUp = async (settings: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, { commissionHoldDays: 30, ...settings });
  const { programId } = program;
  const join = async () => {
    const affiliate = await makeAffiliate(api.runtime, programId);
    const { affiliateId } = affiliate;
    await rows(
      context().em,
      sql`update affiliate set created_at = created_at - interval '2 years' where id = ${affiliateId}::uuid`,
    );
    return { ...affiliate, programId };
  };
  const customer = { id: `c-${unique()}`, email: `buyer-${unique()}@example.org` };
  const creditOf = (saleId: string) =>
    firstRow(
      context().em,
      sql<{ affiliateId: string | null; reason: string | null; rule: string | null; method: string | null }>`
        select case when s.reason is null then s.affiliate_id end as "affiliateId", s.reason, s.evidence->>'rule' as rule, s.method,
          c.commission::int, c.status
        from sale s left join conversion c on c.sale_id = s.id
        where s.external_id = ${saleId} and s.program_id = ${programId}::uuid`,
    );
  const pay = async (facts: SaleFacts = {}) => {
    const saleId = facts.saleId ?? `sale-${unique()}`;
    const response = await sendSale(api, program, { customer, ...facts, saleId });
    if (response.status !== 200) throw new Error(response.text);
    return { ...(await creditOf(saleId)), ...response.data, saleId };
  };
  const identify = (facts: Partial<Parameters<typeof sendIdentification>[2]>) =>
    sendIdentification(api, program, { customer: { id: customer.id }, ...facts });
  const late = (saleId: string, evidence: Parameters<typeof addEvidence>[1]['evidence']) =>
    addEvidence(context(), { sale: { programId, provider: 'events', externalId: saleId }, evidence });
  return { ...merchant, program, programId, join, pay, identify, late, creditOf, customer };
};

describe('the order of evidence', () => {
  it('the order is coupon, click, referral code, and then what the customer came with before', async () => {
    const { join, pay } = await setUp();
    const [a, b, c, d] = [await join(), await join(), await join(), await join()];
    const { couponCode } = await makeCoupon(api.runtime, a);
    const { clickToken } = await makeClick(api.runtime, b, 10);
    const referralCode = c.code;
    expect(await pay({ referralCode: d.code, occurredAt: ago(9) })).toMatchObject({ affiliateId: d.affiliateId });
    expect(await pay({ couponCode, clickToken, referralCode })).toMatchObject({ affiliateId: a.affiliateId, method: 'coupon' });
    expect(await pay({ clickToken, referralCode })).toMatchObject({ affiliateId: b.affiliateId, method: 'cookie' });
    expect(await pay({ referralCode })).toMatchObject({ affiliateId: c.affiliateId, method: 'metadata', rule: 'referral_code' });
    expect(await pay({})).toMatchObject({ affiliateId: c.affiliateId, rule: 'customer' });
  });

  it('passes over evidence that leads to nobody: unknown, expired, of another program, or from after the sale', async () => {
    const { join, pay } = await setUp({ cookieDuration: 1 });
    const other = await setUp();
    const [a, stranger] = [await join(), await other.join()];
    const referralCode = a.code;
    const expired = await makeCoupon(api.runtime, a, { expiresAt: ago(1) });
    const tokens = [
      'clk_nothing',
      (await makeClick(api.runtime, a, 25 * 60)).clickToken,
      (await makeClick(api.runtime, stranger)).clickToken,
    ];
    for (const clickToken of tokens) {
      expect(await pay({ clickToken, referralCode })).toMatchObject({ affiliateId: a.affiliateId, rule: 'referral_code' });
    }
    expect(await pay({ couponCode: expired.couponCode, referralCode })).toMatchObject({ rule: 'referral_code' });
    const { clickToken } = await makeClick(api.runtime, a, 5);
    expect(await pay({ clickToken, occurredAt: ago(10), customer: { id: unique(), email: 'b@example.org' } })).toMatchObject({
      outcome: 'unattributed',
      reason: 'NO_MATCH',
    });
  });

  it('a coupon of a blocked affiliate takes no step back to a click', async () => {
    const { join, pay, key } = await setUp();
    const [a, b] = [await join(), await join()];
    const { couponCode } = await makeCoupon(api.runtime, a);
    const { clickToken } = await makeClick(api.runtime, b);
    await api.call('POST', `/affiliates/${a.affiliateId}/block`, { key });
    expect(await pay({ couponCode, clickToken })).toMatchObject({ outcome: 'unattributed', reason: 'AFFILIATE_BLOCKED' });
  });
});

describe('customer.identified', () => {
  it('attributes later sales, and none that occurred before it', async () => {
    const { join, pay, identify } = await setUp();
    const { code, affiliateId } = await join();
    expect((await identify({ referralCode: code, occurredAt: ago(10) })).data).toEqual({
      outcome: 'recorded',
      conversionId: null,
    });
    expect(await pay({ occurredAt: ago(11) })).toMatchObject({ reason: 'NO_MATCH' });
    expect(await pay({ occurredAt: ago(10) })).toMatchObject({ affiliateId, rule: 'identification', method: 'metadata' });
  });

  it('attributes the first payment of a one_time program', async () => {
    const { join, pay, identify } = await setUp({ commissionType: 'one_time' });
    const { code, affiliateId } = await join();
    await identify({ referralCode: code, occurredAt: ago(10) });
    expect(await pay({ occurredAt: ago(9) })).toMatchObject({ affiliateId });
    expect(await pay({ occurredAt: ago(8) })).toMatchObject({ reason: 'NOT_FIRST_PAYMENT' });
    expect(await pay({ referralCode: code, occurredAt: ago(7) })).toMatchObject({ reason: 'NOT_FIRST_PAYMENT' });
  });

  it('an identification is recorded once per customer and affiliate, also twenty times at once', async () => {
    const { join, identify } = await setUp();
    const [a, b] = [await join(), await join()];
    const responses = await Promise.all(Array.from({ length: 20 }, () => identify({ referralCode: a.code })));
    expect(responses.map(({ data }) => data.outcome).sort()).toEqual([...Array(19).fill('duplicate'), 'recorded']);
    expect((await identify({ referralCode: b.code })).data.outcome).toBe('recorded');
  });

  it('the most recent evidence wins: a sign-up or a sale', async () => {
    const { join, pay, identify } = await setUp();
    const [a, b] = [await join(), await join()];
    await pay({ referralCode: a.code, occurredAt: ago(30) });
    await identify({ referralCode: b.code, occurredAt: ago(20) });
    expect(await pay({ occurredAt: ago(25) })).toMatchObject({ affiliateId: a.affiliateId });
    expect(await pay({ occurredAt: ago(10) })).toMatchObject({ affiliateId: b.affiliateId });
  });

  it('an identification without an affiliate, in a paused program, or before the affiliate joined is unattributed', async () => {
    const { join, identify, key, programId } = await setUp();
    const { code } = await join();
    const unattributed = { outcome: 'unattributed', conversionId: null };
    expect((await identify({})).data).toEqual(unattributed);
    expect((await identify({ referralCode: 'nobody-at-all' })).data).toEqual(unattributed);
    expect((await identify({ referralCode: code, occurredAt: '2020-01-01T00:00:00Z' })).data).toEqual(unattributed);
    await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'paused' } });
    expect((await identify({ referralCode: code })).data).toEqual(unattributed);
  });

  it('422 more than 5 minutes ahead and for an unknown field', async () => {
    const { identify } = await setUp();
    expect((await identify({ occurredAt: ago(-6) })).error.details.issues).toMatchObject([{ path: 'data.occurredAt' }]);
    const unknown = { saleId: 'x', referralCode: 'ada' };
    expect((await identify(unknown)).status).toBe(422);
  });
});

describe('late evidence', () => {
  it('a sign-up attributes sales that arrived before it and occurred after it, with their refunds', async () => {
    const { join, pay, identify, creditOf, program } = await setUp();
    const { code, affiliateId } = await join();
    const [before, after] = [await pay({ occurredAt: ago(20) }), await pay({ occurredAt: ago(5) })];
    await sendRefund(api, program, { saleId: after.saleId, amount: 5_000 });
    await identify({ referralCode: code, occurredAt: ago(10) });
    expect(await creditOf(before.saleId)).toMatchObject({ reason: 'NO_MATCH' });
    expect(await creditOf(after.saleId)).toMatchObject({ affiliateId, commission: 1_000, status: 'partially_refunded' });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a first payment that arrives after its renewal attributes the renewal', async () => {
    const { join, pay, creditOf } = await setUp();
    const { code, affiliateId } = await join();
    const renewal = await pay({ occurredAt: ago(5), subscriptionId: 'sub-1' });
    await pay({ referralCode: code, occurredAt: ago(10), subscriptionId: 'sub-1' });
    expect(await creditOf(renewal.saleId)).toMatchObject({ affiliateId, rule: 'customer' });
  });

  it('late evidence of one sale attributes it once, and the customer with it', async () => {
    const { join, pay, late, creditOf } = await setUp();
    const [a, b] = [await join(), await join()];
    const [first, next] = [await pay({ occurredAt: ago(10) }), await pay({ occurredAt: ago(5) })];
    const { outcome, conversionId } = await late(first.saleId, { referralCode: a.code });
    expect(outcome).toBe('recorded');
    expect(await creditOf(next.saleId)).toMatchObject({ affiliateId: a.affiliateId });
    expect(await late(first.saleId, { referralCode: b.code })).toEqual({ outcome: 'duplicate', conversionId });
    expect(await creditOf(first.saleId)).toMatchObject({ affiliateId: a.affiliateId });
  });

  it('evidence that is received before its sale is used when the sale arrives, unless the sale has evidence of its own', async () => {
    const { join, pay, late } = await setUp();
    const [a, b] = [await join(), await join()];
    const saleId = `sale-${unique()}`;
    expect(await late(saleId, { referralCode: a.code })).toEqual({ outcome: 'waiting', conversionId: null });
    expect(await late(saleId, { referralCode: b.code })).toEqual({ outcome: 'waiting', conversionId: null });
    expect(await pay({ saleId })).toMatchObject({ affiliateId: a.affiliateId });
    const other = `sale-${unique()}`;
    await late(other, { referralCode: a.code });
    expect(await pay({ saleId: other, referralCode: b.code })).toMatchObject({ affiliateId: b.affiliateId });
  });

  it('changes nothing after 24 hours, for a block or a pause, or when it is from after the sale', async () => {
    const { join, pay, late, creditOf, key, programId } = await setUp();
    const { code, affiliateId } = await join();
    const sale = await pay({ occurredAt: ago(10) });
    expect(await late(sale.saleId, { referralCode: code, attributedAt: new Date(ago(9)) })).toMatchObject({
      outcome: 'unattributed',
    });
    await rows(
      context().em,
      sql`update sale set created_at = created_at - interval '25 hours' where external_id = ${sale.saleId}`,
    );
    expect(await late(sale.saleId, { referralCode: code })).toMatchObject({ outcome: 'unattributed' });
    await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
    const blocked = await pay({ referralCode: code });
    await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
    expect(await late(blocked.saleId, { referralCode: code })).toMatchObject({ outcome: 'unattributed' });
    await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'paused' } });
    const paused = await pay({ referralCode: code });
    await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'active' } });
    expect(await late(paused.saleId, { referralCode: code })).toMatchObject({ outcome: 'unattributed' });
    expect(await creditOf(paused.saleId)).toMatchObject({ affiliateId: null, reason: 'PROGRAM_INACTIVE' });
  });

  it('late evidence of the first payment of a one_time program displaces a later one, unless that is approved already', async () => {
    const { join, pay, late, creditOf } = await setUp({ commissionType: 'one_time' });
    const [a, b] = [await join(), await join()];
    const later = await pay({ referralCode: b.code, occurredAt: ago(5) });
    const first = await pay({ occurredAt: ago(10) });
    await late(first.saleId, { referralCode: a.code });
    expect(await creditOf(first.saleId)).toMatchObject({ affiliateId: a.affiliateId });
    expect(await creditOf(later.saleId)).toMatchObject({ reason: 'NOT_FIRST_PAYMENT', status: 'rejected' });
    expect(await verifyLedger(context())).toEqual([]);
  });
});

describe('a limited program', () => {
  it('counts from the first payment with the calendar edge, whatever the order of arrival', async () => {
    const { join, pay, creditOf } = await setUp({ commissionType: 'recurring_limited', commissionLimitMonths: 1 });
    const { code, affiliateId } = await join();
    const late = await pay({ referralCode: code, occurredAt: '2026-02-28T10:00:00Z', subscriptionId: 's' });
    const inside = await pay({ occurredAt: '2026-02-28T10:00:00Z', subscriptionId: 's' });
    expect(late.affiliateId).toBe(affiliateId);
    await pay({ referralCode: code, occurredAt: '2026-01-31T10:00:00Z', subscriptionId: 's' });
    expect(await creditOf(late.saleId)).toMatchObject({ reason: 'LIMIT_REACHED', status: 'rejected', commission: 0 });
    expect(await creditOf(inside.saleId)).toMatchObject({ reason: 'LIMIT_REACHED', status: 'rejected' });
    expect(await pay({ occurredAt: '2026-02-28T09:59:59Z', subscriptionId: 's' })).toMatchObject({ affiliateId });
    expect(await verifyLedger(context())).toEqual([]);
  });
});

describe('metadata', () => {
  it('above 20 keys, above 2 KB, and with values that are no text, a sale keeps what can be stored', async () => {
    const { program } = await setUp();
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'v']));
    const bad = [many, { k: 'x'.repeat(2048) }, { k: [] } as unknown as Record<string, string>, { k: '\u0000' }];
    for (const metadata of bad)
      expect(await sendSale(api, program, { metadata })).toMatchObject({
        status: 200,
        data: { unusable: [{ field: 'metadata' }] },
      });
    const { status, data } = await sendSale(api, program, { metadata: { k: 'x'.repeat(2000) } });
    expect([status, data.unusable]).toEqual([200, undefined]);
  });

  it('metadata is compared when a sale is repeated, in any order of its keys', async () => {
    const { pay, customer } = await setUp();
    const sale = { saleId: `sale-${unique()}`, customer, occurredAt: ago(1) };
    await pay({ ...sale, metadata: { a: '1', b: '2' } });
    expect((await pay({ ...sale, metadata: { b: '2', a: '1' } })).outcome).toBe('duplicate');
    await expect(pay({ ...sale, metadata: { a: '1' } })).rejects.toThrow('PAYLOAD_MISMATCH');
  });
});

it('a sale in another currency is recorded with the reason when the payment system decides on the currency', async () => {
  const { programId, creditOf, join, key } = await setUp();
  const { code } = await join();
  const externalId = `sale-${unique()}`;
  const sale = {
    programId,
    provider: 'events' as const,
    externalId,
    payloadHash: 'h',
    amount: 500,
    chargedGross: null,
    currency: 'eur',
    customerId: 'c',
    customerEmailDigest: null,
    customerCanonicalDigest: null,
    customerEmailDomain: null,
    subscriptionId: null,
    stripeSessionId: null,
    metadata: null,
    occurredAt: new Date(),
  };
  const input = { sale, evidence: { referralCode: code }, otherCurrency: 'record' as const };
  expect(await recordSale(context(), input)).toEqual({ outcome: 'unattributed', conversionId: null, reason: 'OTHER_CURRENCY' });
  expect(await creditOf(externalId)).toMatchObject({ reason: 'OTHER_CURRENCY' });
  const changed = await api.call('PATCH', `/programs/${programId}`, { key, body: { currency: 'eur' } });
  expect(changed.status).toBe(200);
});
