import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeKey,
  makeMerchant,
  makeProgram,
  type SaleFacts,
  sendRefund,
  sendSale,
  unique,
} from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async (facts: SaleFacts = {}, settings: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, { commissionHoldDays: 30, ...settings });
  const affiliate = await makeAffiliate(api.runtime, program.programId);
  const saleId = `sale-${unique()}`;
  await sendSale(api, program, { ...facts, saleId });
  const { key } = merchant;
  const [sale] = (await api.call('GET', '/sales', { key, query: { externalSaleId: saleId } })).data;
  const attribute = (body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    api.call('POST', `/sales/${sale.id}/attribute`, {
      key,
      headers,
      body: { affiliateId: affiliate.affiliateId, note: 'The customer named Ada', ...body },
    });
  return { ...merchant, ...affiliate, program, saleId, sale, attribute };
};

it('credits the sale, although it occurred before the affiliate joined, and tells who decided and why', async () => {
  const occurredAt = new Date(Date.now() - DAY_MS).toISOString();
  const { key, keyId, attribute, sale, affiliateId } = await setUp({ occurredAt });
  const response = await attribute();
  expect(response).toMatchObject({ status: 200, data: { id: sale.id, reason: null, conversionId: expect.any(String) } });
  const { data } = await api.call('GET', `/conversions/${response.data.conversionId}`, { key });
  expect(data).toMatchObject({
    affiliateId,
    status: 'pending',
    commission: 2_000,
    method: 'metadata',
    attribution: { rule: 'manual', note: 'The customer named Ada', decidedBy: `key:${keyId}` },
  });
  expect(new Date(data.releaseAt).getTime()).toBeGreaterThan(Date.now() + 29 * DAY_MS);
  expect(await verifyLedger(context())).toEqual([]);
});

it('credits what is left of a partly refunded sale, and later payments follow', async () => {
  const customer = { id: `c-${unique()}`, email: 'buyer@example.org' };
  const { key, attribute, program, saleId } = await setUp({ customer });
  await sendRefund(api, program, { saleId, amount: 4_000 });
  const { data } = await attribute();
  expect((await api.call('GET', `/conversions/${data.conversionId}`, { key })).data).toMatchObject({
    commission: 1_200,
    refundedAmount: 4_000,
    status: 'partially_refunded',
  });
  expect((await sendSale(api, program, { customer })).data.outcome).toBe('recorded');
  expect(await verifyLedger(context())).toEqual([]);
});

it('twice at once, and with the same idempotency key, credits once', async () => {
  const { attribute, affiliateId } = await setUp();
  const headers = { 'idempotency-key': unique() };
  const [one, two] = await Promise.all([attribute(), attribute({ note: 'Another reason' })]);
  expect([one.status, two.status].sort()).toEqual([200, 409]);
  const again = [await attribute({}, headers), await attribute({}, headers)];
  expect(again.map(({ status }) => status)).toEqual([409, 409]);
  expect(again[1]?.headers['idempotency-replayed']).toBe('true');
  const credited = await rows(context().em, sql`select 1 from conversion where affiliate_id = ${affiliateId}::uuid`);
  expect(credited).toHaveLength(1);
});

describe('409', () => {
  const reasonOf = (response: { status: number; error: { details: { reason: string } } }) =>
    [response.status, response.error.details.reason] as const;

  it('ALREADY_ATTRIBUTED', async () => {
    const { attribute } = await setUp();
    const { conversionId } = (await attribute()).data;
    const again = await attribute();
    expect(reasonOf(again)).toEqual([409, 'ALREADY_ATTRIBUTED']);
    expect(again.error.details.conversionId).toBe(conversionId);
  });

  it('TOO_OLD after 60 days', async () => {
    const { attribute } = await setUp({ occurredAt: new Date(Date.now() - 61 * DAY_MS).toISOString() });
    expect(reasonOf(await attribute())).toEqual([409, 'TOO_OLD']);
  });

  it('SALE_REFUNDED in full', async () => {
    const { attribute, program, saleId } = await setUp();
    await sendRefund(api, program, { saleId, amount: 10_000 });
    expect(reasonOf(await attribute())).toEqual([409, 'SALE_REFUNDED']);
  });

  it('AFFILIATE_BLOCKED', async () => {
    const { attribute, key, affiliateId } = await setUp();
    await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
    expect(reasonOf(await attribute())).toEqual([409, 'AFFILIATE_BLOCKED']);
  });

  it("OTHER_CURRENCY for a sale that is not in the program's currency", async () => {
    const { attribute, sale } = await setUp();
    await rows(context().em, sql`update sale set currency = 'eur', reason = 'OTHER_CURRENCY' where id = ${sale.id}::uuid`);
    expect(reasonOf(await attribute())).toEqual([409, 'OTHER_CURRENCY']);
  });
});

it('404 and 403 for sales and affiliates, 422 for a member of another program or no note', async () => {
  const { attribute, key, sale } = await setUp();
  const other = await setUp();
  const body = { affiliateId: other.affiliateId, note: 'Mine' };
  expect((await api.call('POST', `/sales/${MISSING_ID}/attribute`, { key, body })).status).toBe(404);
  expect((await api.call('POST', `/sales/${sale.id}/attribute`, { key: other.key, body })).status).toBe(403);
  expect((await attribute({ affiliateId: MISSING_ID })).status).toBe(404);
  expect((await attribute({ affiliateId: other.affiliateId })).status).toBe(403);
  const elsewhere = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, elsewhere.programId);
  expect((await attribute({ affiliateId })).error.details.issues).toMatchObject([{ path: 'affiliateId' }]);
  expect((await attribute({ note: undefined })).status).toBe(422);
  expect((await attribute({ note: ' ' })).status).toBe(422);
});

it('403 for a key that may only read', async () => {
  const { merchantId, sale, affiliateId } = await setUp();
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['conversions:read'] });
  const response = await api.call('POST', `/sales/${sale.id}/attribute`, { key, body: { affiliateId, note: 'x' } });
  expect(response).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
});
