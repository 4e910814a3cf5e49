import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makePayable, sendSale, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });
const NOTE = 'Bids on our brand name';

const flag = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', '/flags', { key, body, headers });

test('201 opens a flag with its conversions, deadline and evidence', async () => {
  const { key, affiliateId, programId, conversionId } = await makePayable(api);
  const { status, data } = await flag(key, { affiliateId, conversionIds: [conversionId], note: NOTE });
  expect([status, data]).toEqual([
    201,
    {
      id: expect.any(String),
      affiliateId,
      programId,
      type: 'manual_review',
      status: 'open',
      details: { evidenceCount: 1, evidence: [{ at: data.createdAt, note: NOTE }] },
      note: NOTE,
      conversionCount: 1,
      dueAt: new Date(Date.parse(data.createdAt) + 14 * 86_400_000).toISOString(),
      deadlineAction: null,
      holdEndedAt: null,
      createdAt: expect.any(String),
      resolvedAt: null,
    },
  ]);
});

test('200 adds conversions and the note to the open flag', async () => {
  const { key, affiliateId, conversionId, program, code } = await makePayable(api);
  const first = await flag(key, { affiliateId, conversionIds: [conversionId], note: NOTE });
  const sale = await sendSale(api, program, { saleId: unique(), referralCode: code });
  const conversionIds = [conversionId, sale.data.conversionId, sale.data.conversionId];
  const second = await flag(key, { affiliateId, conversionIds, note: 'Again' });
  expect([second.status, second.data.id]).toEqual([200, first.data.id]);
  expect(second.data).toMatchObject({ note: 'Again', conversionCount: 2, details: { evidenceCount: 2 } });
});

test('a replay has the status of the first response', async () => {
  const { key, affiliateId } = await makePayable(api);
  const headers = { 'idempotency-key': unique() };
  const body = { affiliateId, note: NOTE };
  const [first, again] = [await flag(key, body, headers), await flag(key, body, headers)];
  expect([first.status, again.status, again.data]).toEqual([201, 201, first.data]);
});

test('a note may have as many characters that JSON escapes as others', async () => {
  const { key, affiliateId } = await makePayable(api);
  for (const note of ['"'.repeat(1_000), `x${'\u0001'.repeat(998)}x`]) {
    const { status, data } = await flag(key, { affiliateId, note });
    expect([status < 300, data?.note]).toEqual([true, note]);
  }
});

test('the deadline follows flagReviewDays of the merchant', async () => {
  const { key, affiliateId } = await makePayable(api);
  await api.call('PATCH', '/merchant', { key, body: { flagReviewDays: 3 } });
  const { data } = await flag(key, { affiliateId, note: NOTE });
  expect(Date.parse(data.dueAt) - Date.parse(data.createdAt)).toBe(3 * 86_400_000);
});

describe('changes nothing', () => {
  const unchanged = async (affiliateId: string) =>
    expect(await rowsOf(api, 'select 1 from flag where affiliate_id = ?', [affiliateId])).toEqual([]);

  test('404 for a missing affiliate or conversion', async () => {
    const { key, affiliateId } = await makePayable(api);
    expect(await flag(key, { affiliateId: randomUUID(), note: NOTE })).toMatchObject({ status: 404 });
    expect(await flag(key, { affiliateId, conversionIds: [randomUUID()], note: NOTE })).toMatchObject({
      status: 404,
      error: { code: 'NOT_FOUND', message: 'Conversion not found' },
    });
    await unchanged(affiliateId);
  });

  test("403 for another merchant's affiliate or conversion", async () => {
    const [own, other] = [await makePayable(api), await makePayable(api)];
    expect(await flag(own.key, { affiliateId: other.affiliateId, note: NOTE })).toMatchObject({ status: 403 });
    const conversionIds = [own.conversionId, other.conversionId];
    expect(await flag(own.key, { affiliateId: own.affiliateId, conversionIds, note: NOTE })).toMatchObject({
      status: 403,
      error: { code: 'FORBIDDEN' },
    });
    await unchanged(own.affiliateId);
    await unchanged(other.affiliateId);
  });

  test("422 for a conversion of the merchant's other affiliate", async () => {
    const { key, programId, conversionId } = await makePayable(api);
    const { affiliateId } = await makeAffiliate(api.runtime, programId);
    expect(await flag(key, { affiliateId, conversionIds: [conversionId], note: NOTE })).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'conversionIds' }] } },
    });
    await unchanged(affiliateId);
  });

  test.each([
    ['affiliateId', { note: NOTE }],
    ['affiliateId', { affiliateId: 'ada', note: NOTE }],
    ['note', { affiliateId: randomUUID() }],
    ['note', { affiliateId: randomUUID(), note: '  ' }],
    ['note', { affiliateId: randomUUID(), note: 'x'.repeat(1_001) }],
    ['conversionIds', { affiliateId: randomUUID(), note: NOTE, conversionIds: Array.from({ length: 101 }, () => randomUUID()) }],
    ['conversionIds.0', { affiliateId: randomUUID(), note: NOTE, conversionIds: ['1'] }],
    ['type', { affiliateId: randomUUID(), note: NOTE, type: 'self_referral' }],
  ])('422 for a bad %s', async (path, body) => {
    const { key } = await makeMerchant(api.runtime);
    const response = await flag(key, body);
    expect([response.status, response.error.details.issues[0].path]).toEqual([422, path]);
  });
});

test('two calls at once open one flag', async () => {
  const { key, affiliateId, conversionId } = await makePayable(api);
  const body = { affiliateId, conversionIds: [conversionId], note: NOTE };
  const responses = await Promise.all(Array.from({ length: 6 }, () => flag(key, body)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
  expect(new Set(responses.map(({ data }) => data.id)).size).toBe(1);
});
