import { listOpenSaleProblems } from '../../../src/domains/conversions/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { generateSigningSecret } from '../../../src/platform/crypto/standard-webhooks.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makePayable,
  makeProgram,
  saleEvent,
  sendEvent,
  sendRefund,
  sendSale,
  signedHeaders,
  unique,
} from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const conversionOf = async (key: string, id: string) =>
  (await api.call('GET', '/conversions', { key, query: { limit: '100' } })).data.find((row: { id: string }) => row.id === id);

const setUp = async (program: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const made = await makeProgram(api, merchant.key, program);
  const affiliate = await makeAffiliate(api.runtime, made.programId);
  return { ...merchant, ...made, program: made, ...affiliate };
};

describe('a sale', () => {
  it('a sale creates a conversion, a commission and a balance, and emits an event', async () => {
    const { key, program, code, affiliateId, merchantId } = await setUp({ commissionPercent: 12.5 });
    const response = await sendSale(api, program, { amount: 9_999, referralCode: code.toUpperCase() });
    expect(response.status).toBe(200);
    expect(response.data).toEqual({ outcome: 'recorded', conversionId: expect.any(String) });
    expect(response.meta.requestId).toEqual(expect.any(String));
    expect(await conversionOf(key, response.data.conversionId)).toMatchObject({
      amount: 9999,
      commission: 1250,
      status: 'approved',
      affiliateId,
    });
    const event = await firstRow(
      context().em,
      sql<{
        body: Buffer;
      }>`select body from webhook_event where merchant_id = ${merchantId}::uuid and type = 'conversion.created'`,
    );
    const body = JSON.parse(event?.body.toString('utf8') ?? '{}');
    expect(body.data).toMatchObject({
      id: response.data.conversionId,
      commissionAmount: 1250,
      commission: 1250,
      currency: 'usd',
    });
    expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).data).toMatchObject({
      totalConversions: 1,
      totalEarnings: 1250,
    });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a sale counts as pending until its hold period is over', async () => {
    const { key, program, code, affiliateId, programId } = await setUp({ commissionHoldDays: 30 });
    const { data } = await sendSale(api, program, { referralCode: code });
    expect(await conversionOf(key, data.conversionId)).toMatchObject({ status: 'pending' });
    const rejected = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    expect(rejected.error.details).toMatchObject({ reason: 'NOTHING_PAYABLE' });
  });

  it('a sale without attribution is recorded and credited to no affiliate', async () => {
    const { key, program } = await setUp();
    expect((await sendSale(api, program, {})).data).toEqual({ outcome: 'unattributed', conversionId: null, reason: 'NO_MATCH' });
    expect((await sendSale(api, program, { referralCode: 'nobody-at-all' })).data.outcome).toBe('unattributed');
    expect((await api.call('GET', '/conversions', { key })).meta.total).toBe(0);
  });

  it.each([
    [
      'a paused program',
      async (s: Awaited<ReturnType<typeof setUp>>) =>
        api.call('PATCH', `/programs/${s.programId}`, { key: s.key, body: { status: 'paused' } }),
    ],
    [
      'a blocked affiliate',
      async (s: Awaited<ReturnType<typeof setUp>>) => api.call('POST', `/affiliates/${s.affiliateId}/block`, { key: s.key }),
    ],
  ])('a sale of %s is credited to no affiliate', async (_name, change) => {
    const made = await setUp();
    expect((await change(made)).status).toBe(200);
    expect((await sendSale(api, made.program, { referralCode: made.code })).data.outcome).toBe('unattributed');
  });

  it('a sale that is sent twice with the same data changes nothing; with different data it is a 409', async () => {
    const { key, program, code, affiliateId } = await setUp();
    const event = saleEvent({ referralCode: code });
    const first = await sendEvent(api, program, event);
    const again = await sendEvent(api, program, { ...event, timestamp: '2026-02-01T00:00:00Z' });
    expect(again.data).toEqual({ outcome: 'duplicate', conversionId: first.data.conversionId });
    const other = await sendEvent(api, program, { ...event, data: { ...event.data, amount: 10_001 } });
    expect(other.status).toBe(409);
    expect(other.error.details).toMatchObject({ reason: 'PAYLOAD_MISMATCH', fields: ['amount'] });
    expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).data).toMatchObject({ totalConversions: 1 });
  });

  it('IN5: a sale that is sent again with other values names the fields that differ, with the stored time and no other value', async () => {
    const { program, code } = await setUp();
    const event = saleEvent({ referralCode: code, metadata: { plan: 'pro' } });
    await sendEvent(api, program, event);
    const { data } = event;
    const retries: [object, string[]][] = [
      [{ occurredAt: '2026-02-01T00:00:00Z' }, ['occurredAt']],
      [{ customer: { id: 'other', email: 'other@example.com' } }, ['customer.id', 'customer.email']],
      [{ subscriptionId: 'sub-1', amount: 1 }, ['amount', 'subscriptionId']],
      [{ metadata: { plan: 'free' } }, ['metadata']],
      [{ referralCode: 'other' }, ['couponCode', 'clickToken', 'referralCode']],
    ];
    for (const [change, fields] of retries) {
      const { status, error } = await sendEvent(api, program, { ...event, data: { ...data, ...change } });
      expect([status, error.details]).toEqual([
        409,
        {
          reason: 'PAYLOAD_MISMATCH',
          saleId: data.saleId,
          fields,
          occurredAt: new Date(String(data['occurredAt'])).toISOString(),
        },
      ]);
      expect(error.message).toMatch(new RegExp(`different data: ${fields.join(', ')}$`));
    }
  });

  it('a sale that is sent twenty times at once is recorded once', async () => {
    const { program, code, affiliateId } = await setUp();
    const event = saleEvent({ referralCode: code });
    const responses = await Promise.all(Array.from({ length: 20 }, () => sendEvent(api, program, event)));
    expect(responses.map((response) => response.data?.outcome).sort()).toEqual([...Array(19).fill('duplicate'), 'recorded']);
    const credited = await rows(context().em, sql`select 1 from conversion where affiliate_id = ${affiliateId}::uuid`);
    expect(credited).toHaveLength(1);
  });

  it('a sale locks the currency of its program', async () => {
    const { key, program, programId, code } = await setUp();
    const wrong = await sendSale(api, program, { currency: 'eur', referralCode: code });
    expect(wrong.status).toBe(422);
    expect(wrong.error.details.issues).toMatchObject([{ path: 'data.currency' }]);
    await sendSale(api, program, { referralCode: code });
    const changed = await api.call('PATCH', `/programs/${programId}`, { key, body: { currency: 'eur' } });
    expect(changed.error.details).toMatchObject({ reason: 'CURRENCY_LOCKED' });
  });
});

describe('attribution over time', () => {
  const customer = () => ({ id: `c-${unique()}`, email: `buyer-${unique()}@example.org` });

  it('one_time credits only the first payment of a customer', async () => {
    const { program, code } = await setUp({ commissionType: 'one_time' });
    const who = customer();
    expect((await sendSale(api, program, { customer: who, referralCode: code })).data.outcome).toBe('recorded');
    expect((await sendSale(api, program, { customer: who, referralCode: code })).data.outcome).toBe('unattributed');
  });

  it('recurring credits later payments to the affiliate who referred the customer', async () => {
    const { program, code } = await setUp();
    const who = customer();
    await sendSale(api, program, { customer: who, referralCode: code, subscriptionId: 'sub-1' });
    expect((await sendSale(api, program, { customer: who, subscriptionId: 'sub-1' })).data.outcome).toBe('recorded');
  });

  it('recurring_limited credits payments within the months after the first', async () => {
    const { program, programId, code } = await setUp({ commissionType: 'recurring_limited', commissionLimitMonths: 2 });
    await rows(context().em, sql`update affiliate set created_at = '2026-01-01' where program_id = ${programId}::uuid`);
    const who = customer();
    const at = (occurredAt: string) => sendSale(api, program, { customer: who, occurredAt });
    await sendSale(api, program, { customer: who, referralCode: code, occurredAt: '2026-01-31T12:00:00Z' });
    expect((await at('2026-03-31T11:59:59Z')).data.outcome).toBe('recorded');
    expect((await at('2026-03-31T12:00:00Z')).data.outcome).toBe('unattributed');
  });
});

describe('a refund', () => {
  it('a refund in parts reduces the commission proportionally; beyond the amount of the sale it is a 409', async () => {
    const { key, program, saleId, conversionId } = await makePayable(api, { amount: 9_999 });
    expect((await sendRefund(api, program, { saleId, amount: 3_333 })).data).toEqual({ outcome: 'recorded', conversionId });
    expect(await conversionOf(key, conversionId)).toMatchObject({
      status: 'partially_refunded',
      commission: 1333,
      refundedAmount: 3333,
    });
    const beyond = await sendRefund(api, program, { saleId, amount: 6_667 });
    expect(beyond.status).toBe(409);
    expect(beyond.error.details).toMatchObject({ reason: 'REFUND_EXCEEDS_SALE', remaining: 6666 });
    await sendRefund(api, program, { saleId, amount: 6_666 });
    expect(await conversionOf(key, conversionId)).toMatchObject({ status: 'refunded', commission: 0 });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a refund that is received before its sale is applied when the sale arrives', async () => {
    const { key, program, code } = await setUp();
    const saleId = `sale-${unique()}`;
    expect((await sendRefund(api, program, { saleId, amount: 2_500 })).data).toEqual({ outcome: 'waiting', conversionId: null });
    const { data } = await sendSale(api, program, { saleId, referralCode: code });
    expect(await conversionOf(key, data.conversionId)).toMatchObject({ status: 'partially_refunded', commission: 1500 });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('a refund is applied when it arrives at the same time as its sale', async () => {
    const { key, program, code } = await setUp();
    for (let round = 0; round < 10; round++) {
      const saleId = `sale-${unique()}`;
      const [sale] = await Promise.all([
        sendSale(api, program, { saleId, referralCode: code }),
        sendRefund(api, program, { saleId, amount: 10_000 }),
      ]);
      expect(await conversionOf(key, sale.data.conversionId)).toMatchObject({ status: 'refunded', commission: 0 });
    }
  });

  it('a refund that is sent twice is applied once; with different data it is a 409', async () => {
    const { key, program, saleId, conversionId } = await makePayable(api);
    const refund = { saleId, amount: 1_000, refundId: 'r-1', occurredAt: new Date().toISOString() };
    await sendRefund(api, program, refund);
    expect((await sendRefund(api, program, refund)).data).toEqual({ outcome: 'duplicate', conversionId });
    expect((await sendRefund(api, program, { ...refund, amount: 999 })).error.details).toEqual({
      reason: 'PAYLOAD_MISMATCH',
      refundId: 'r-1',
      fields: ['amount'],
      occurredAt: refund.occurredAt,
    });
    expect(await conversionOf(key, conversionId)).toMatchObject({ refundedAmount: 1000 });
  });

  const at = (time: string, ms = 0) => new Date(Date.parse(time) + ms).toISOString();
  const MINUTE_MS = 60_000;

  it('MO12: a refund dated before its sale or more than 5 minutes ahead is a 422; in the second of the sale it counts', async () => {
    const { key, program, code } = await setUp();
    const saleId = `sale-${unique()}`;
    const occurredAt = new Date().toISOString().replace(/\d{3}Z$/, '700Z');
    const { data } = await sendSale(api, program, { saleId, occurredAt, referralCode: code });
    const wrong = [
      '0001-01-01T00:00:00Z',
      at(occurredAt, -701),
      at(new Date().toISOString(), 6 * MINUTE_MS),
      '9999-12-31T23:59:59Z',
    ];
    for (const time of wrong) {
      const refused = await sendRefund(api, program, { saleId, amount: 1_000, occurredAt: time });
      expect([time, refused.status, refused.error.details.issues[0].path]).toEqual([time, 422, 'data.occurredAt']);
    }
    expect((await sendRefund(api, program, { saleId, amount: 100, occurredAt: at(occurredAt, -700) })).data.outcome).toBe(
      'recorded',
    );
    const ahead = at(new Date().toISOString(), 4 * MINUTE_MS);
    expect((await sendRefund(api, program, { saleId, amount: 100, occurredAt: ahead })).data.outcome).toBe('recorded');
    expect(await conversionOf(key, data.conversionId)).toMatchObject({ refundedAmount: 200 });
  });

  it('MO12: a refund dated more than 5 minutes ahead is a 422 before its sale is known, too', async () => {
    const { program } = await setUp();
    const refused = await sendRefund(api, program, { saleId: 'unknown', amount: 1_000, occurredAt: '9999-12-31T23:59:59Z' });
    expect(refused.status).toBe(422);
  });

  it('MO12: a refund that waited and proves to be before its sale goes to a person, and the sale is recorded', async () => {
    const { key, program, code, merchantId } = await setUp();
    const saleId = `sale-${unique()}`;
    const early = { saleId, refundId: `early-${unique()}`, amount: 9_000, occurredAt: '0001-01-01T00:00:00Z' };
    expect((await sendRefund(api, program, early)).data.outcome).toBe('waiting');
    await sendRefund(api, program, { saleId, amount: 2_500 });
    const sale = await sendSale(api, program, { saleId, referralCode: code });
    expect(sale.data.outcome).toBe('recorded');
    expect(await conversionOf(key, sale.data.conversionId)).toMatchObject({ refundedAmount: 2500, commission: 1500 });
    expect((await sendRefund(api, program, early)).data.outcome).toBe('duplicate');
    const open = (await listOpenSaleProblems(context(), { limit: 1_000 })).filter((problem) => problem.merchantId === merchantId);
    expect(open).toMatchObject([
      { eventId: `${program.programId}:${early.refundId}`, eventType: 'sale.refunded', objectId: saleId, reason: 'BEFORE_SALE' },
    ]);
    const applied = await rows(
      context().em,
      sql`select 1 from sale_refund where program_id = ${program.programId}::uuid and applied_at is not null`,
    );
    expect(applied).toHaveLength(1);
    expect(await verifyLedger(context())).toEqual([]);
  });
});

describe('an invalid event', () => {
  it('a missing, wrong or expired signature and a modified body are 401', async () => {
    const { programId, eventSecret } = await setUp();
    const path = `/api/integrations/events/${programId}`;
    const body = JSON.stringify(saleEvent({}));
    const other = await setUp();
    const cases = [
      {},
      signedHeaders(other.eventSecret, body),
      signedHeaders(eventSecret, body, Date.now() - 301_000),
      signedHeaders(eventSecret, body.replace('10000', '10')),
    ];
    for (const headers of cases) {
      const response = await api.raw('POST', path, { body, headers });
      expect(response.status).toBe(401);
      expect(response.error.code).toBe('UNAUTHORIZED');
    }
  });

  it('an unknown program is 404', async () => {
    const signed = { body: '{}', headers: signedHeaders(generateSigningSecret(), '{}') };
    expect((await api.raw('POST', `/api/integrations/events/${MISSING_ID}`, signed)).status).toBe(404);
    expect((await api.raw('POST', '/api/integrations/events/none', signed)).status).toBe(404);
  });

  it('malformed JSON is 400 and an invalid event 422, without echoing values', async () => {
    const { program } = await setUp();
    const headers = (body: string) => signedHeaders(program.eventSecret, body);
    const broken = '{"type":';
    expect(
      (await api.raw('POST', `/api/integrations/events/${program.programId}`, { body: broken, headers: headers(broken) })).status,
    ).toBe(400);
    const response = await sendSale(api, program, { currency: 'no-currency-7781' });
    expect(response.status).toBe(422);
    expect(response.error.details.issues[0]).toMatchObject({ path: 'data.currency' });
    // Not of the whole response: a random request id may contain it.
    expect(JSON.stringify(response.error)).not.toContain('7781');
    expect((await sendSale(api, program, { amount: 0 })).status).toBe(422);
    expect((await sendSale(api, program, { amount: 1.5 })).status).toBe(422);
    expect((await sendEvent(api, program, { ...saleEvent({}), extra: 1 })).status).toBe(422);
  });

  it('the previous secret is accepted for 24 hours after rotation', async () => {
    const { key, program, programId, code } = await setUp();
    const rotated = await api.call('POST', `/programs/${programId}/event-secret`, { key });
    expect((await sendSale(api, program, { referralCode: code })).data.outcome).toBe('recorded');
    const current = { programId, eventSecret: rotated.data.signingSecret };
    expect((await sendSale(api, current, { referralCode: code })).data.outcome).toBe('recorded');
  });
});
