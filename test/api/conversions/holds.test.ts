import { recordDispute } from '../../../src/domains/conversions/use-cases/record-dispute.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeMerchant,
  makePayable,
  makeProgram,
  saleEvent,
  sendSale,
  sendUnscreened,
} from '../../support/factories.ts';
import { makeFlag, raise } from '../../support/flags.ts';

const api = useTestApi();

const list = async (key: string, query: Record<string, string> = {}) =>
  (await api.call('GET', '/conversions', { key, query })).data;
const idsOf = async (key: string, query: Record<string, string>) => (await list(key, query)).map(({ id }: { id: string }) => id);

test('IN1: a conversion tells which flag holds it, until the flag is resolved', async () => {
  const own = await makeFlag(api);
  const hold = { kind: 'flag', flagId: own.flagId, reason: 'self_referral', since: expect.any(String) };
  expect(await own.conversion()).toMatchObject({ hold });
  expect(await list(own.key)).toMatchObject([{ hold }]);
  expect((await api.call('GET', '/conversions/recent', { key: own.key })).data).toMatchObject([{ hold }]);
  expect(Date.parse((await own.conversion()).hold.since)).toBeLessThanOrEqual(Date.now());
  await own.resolve('dismissed');
  expect(await own.conversion()).toMatchObject({ hold: null });
});

test('IN1: conversions are found by their flag and by whether they are held', async () => {
  const own = await makeFlag(api);
  const free = (await sendSale(api, own.program, { referralCode: own.code })).data.conversionId;
  const other = await makeFlag(api);
  expect(await idsOf(own.key, { flagId: own.flagId })).toEqual([own.conversionId]);
  expect(await idsOf(own.key, { flagId: other.flagId })).toEqual([]);
  expect(await idsOf(own.key, { held: 'true' })).toEqual([own.conversionId]);
  expect(await idsOf(own.key, { held: 'false' })).toEqual([free]);
  expect(await idsOf(own.key, { held: 'true', programId: own.programId, status: 'approved' })).toEqual([own.conversionId]);
  const { meta } = await api.call('GET', '/conversions', { key: own.key, query: { held: 'true', limit: '1' } });
  expect(meta).toMatchObject({ total: 1, hasMore: false });
  await own.resolve('dismissed');
  expect(await idsOf(own.key, { flagId: own.flagId })).toEqual([own.conversionId]);
  expect(await idsOf(own.key, { held: 'true' })).toEqual([]);
});

test('IN1: of several holds, the first is told: dispute, flag, block, screening', async () => {
  const own = await makePayable(api);
  const blocked = { key: own.key, body: { reason: 'Bids on our brand name' } };
  expect((await api.call('POST', `/affiliates/${own.affiliateId}/block`, blocked)).status).toBe(200);
  const hold = async () => (await api.call('GET', `/conversions/${own.conversionId}`, { key: own.key })).data.hold;
  expect(await hold()).toMatchObject({ kind: 'block', flagId: null, reason: 'affiliate_blocked' });
  const { flagId } = await raise(api, own);
  expect(await hold()).toMatchObject({ kind: 'flag', flagId, reason: 'self_referral' });
  await recordDispute(api.runtime.context({ kind: 'system', name: 'test' }), {
    sale: { programId: own.programId, provider: 'events', externalId: own.saleId },
    disputeId: 'dispute-1',
    status: 'opened',
    disputedGross: 10_000,
    chargedGross: null,
    occurredAt: new Date(),
  });
  expect(await hold()).toMatchObject({ kind: 'dispute', flagId: null, reason: 'payment_disputed' });
  expect(await idsOf(own.key, { held: 'true' })).toEqual([own.conversionId]);
  const { data } = await api.call('GET', '/conversions/stats', { key: own.key });
  expect(data).toMatchObject({ held: 1 });
});

test('IN1: a new conversion is held until it is screened, and the event tells no hold', async () => {
  const own = await makePayable(api);
  const sale = await sendUnscreened(api, own.program, saleEvent({ referralCode: own.code }));
  const { data } = await api.call('GET', `/conversions/${sale.data.conversionId}`, { key: own.key });
  expect(data.hold).toEqual({ kind: 'screening', flagId: null, reason: 'not_screened', since: data.createdAt });
  const event = await firstRow(
    api.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
      where merchant_id = ${own.merchantId}::uuid and type = 'conversion.created' order by id desc limit 1`,
  );
  const told = JSON.parse(event?.body ?? '');
  expect(told).toMatchObject({ subjectId: sale.data.conversionId, data: { id: sale.data.conversionId } });
  expect(told.data).not.toHaveProperty('hold');
});

test('IN1: held amounts are told by reason to the merchant, also when all is held, and to the affiliate', async () => {
  const own = await makeFlag(api);
  const second = await sendSale(api, own.program, { saleId: 'disputed', amount: 5_000, referralCode: own.code });
  expect(second.data.outcome).toBe('recorded');
  await recordDispute(api.runtime.context({ kind: 'system', name: 'test' }), {
    sale: { programId: own.programId, provider: 'events', externalId: 'disputed' },
    disputeId: 'dispute-2',
    status: 'opened',
    disputedGross: 5_000,
    chargedGross: null,
    occurredAt: new Date(),
  });
  const held = { dispute: 1_000, flag: 2_000 };
  const pending = await api.call('GET', '/payouts/pending', { key: own.key });
  expect(pending.data).toMatchObject([{ affiliateId: own.affiliateId, pendingAmount: 0, heldAmount: 3_000, held }]);
  const key = await makeAffiliateKey(api.runtime, own.profileId);
  const { data } = await api.call('GET', '/me/earnings', { key });
  expect(data).toMatchObject({ available: 3_000, held, byCurrency: [{ held }] });
});

test('IN1: an affiliate of whom all is held before it is approved is a pending payout, page by page, until nothing is held', async () => {
  const own = await makePayable(api, { program: { commissionHoldDays: 30 } });
  const pending = async (query = {}) => api.call('GET', '/payouts/pending', { key: own.key, query });
  expect((await pending()).meta.total).toBe(0);
  const { flagId } = await raise(api, own);
  await sendSale(api, own.program, { saleId: 'disputed', amount: 5_000, referralCode: own.code });
  const dispute = (status: 'opened' | 'closed') =>
    recordDispute(api.runtime.context({ kind: 'system', name: 'test' }), {
      sale: { programId: own.programId, provider: 'events', externalId: 'disputed' },
      disputeId: 'dispute-3',
      status,
      disputedGross: 5_000,
      chargedGross: null,
      occurredAt: new Date(),
    });
  await dispute('opened');
  const row = { affiliateId: own.affiliateId, pendingAmount: 0, heldAmount: 0, commissionCount: 0 };
  const first = await pending({ programId: own.programId, limit: '1' });
  expect(first).toMatchObject({
    data: [{ ...row, heldUnapproved: { dispute: 1_000, flag: 2_000 } }],
    meta: { total: 1, hasMore: false },
  });
  const resolved = await api.call('POST', `/flags/${flagId}/resolve`, { key: own.key, body: { status: 'dismissed' } });
  expect(resolved.status).toBe(200);
  expect(await pending()).toMatchObject({ data: [{ ...row, heldUnapproved: { dispute: 1_000, flag: 0 } }], meta: { total: 1 } });
  await dispute('closed');
  expect(await pending()).toMatchObject({ data: [], meta: { total: 0 } });
});

test('IN1: a flag that is older than the first sale makes no row without a balance, and one with it', async () => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, { commissionHoldDays: 30 });
  const affiliate = await makeAffiliate(api.runtime, program.programId);
  const total = async () => (await api.call('GET', '/payouts/pending', { key: merchant.key })).meta.total;
  const own = { ...merchant, ...program, program, ...affiliate, saleId: '', conversionId: '' };
  await raise(api, own, { type: 'high_click_frequency', conversionIds: [] });
  expect(await total()).toBe(0);
  await sendSale(api, program, { referralCode: affiliate.code });
  expect(await total()).toBe(1);
});

test('IN1: a flag that holds nothing makes no pending payout', async () => {
  const own = await makePayable(api, { program: { commissionHoldDays: 30 } });
  await raise(api, own, { type: 'manual_review', conversionIds: [] });
  expect((await api.call('GET', '/payouts/pending', { key: own.key })).meta.total).toBe(0);
  await raise(api, own, { type: 'manual_review' });
  expect((await api.call('GET', '/payouts/pending', { key: own.key })).meta.total).toBe(1);
});

test('IN1: what waits for its hold period makes no pending payout, of a blocked affiliate neither, and is listed as held by the block', async () => {
  const own = await makePayable(api, { program: { commissionHoldDays: 30 } });
  await api.call('POST', `/affiliates/${own.affiliateId}/block`, { key: own.key, body: {} });
  expect((await api.call('GET', '/payouts/pending', { key: own.key })).data).toEqual([]);
  expect(await list(own.key, { held: 'true' })).toMatchObject([{ id: own.conversionId, hold: { kind: 'block' } }]);
});

test('IN1: what a flag, a dispute and a block hold is listed page by page, each conversion once', async () => {
  const own = await makeFlag(api);
  const sales = ['a', 'b', 'c', 'd', 'e'];
  const ids: string[] = [own.conversionId];
  for (const saleId of sales) {
    ids.push((await sendSale(api, own.program, { saleId, amount: 1_000, referralCode: own.code })).data.conversionId);
  }
  await raise(api, own, { conversionIds: ids.slice(1, 3) });
  await raise(api, own, { type: 'manual_review', conversionIds: ids.slice(2, 4) });
  await recordDispute(api.runtime.context({ kind: 'system', name: 'test' }), {
    sale: { programId: own.programId, provider: 'events', externalId: 'c' },
    disputeId: 'dispute-4',
    status: 'opened',
    disputedGross: 1_000,
    chargedGross: null,
    occurredAt: new Date(),
  });
  const pages = async (query: Record<string, string>): Promise<string[][]> => {
    const found: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = { held: 'true', limit: '2', ...query, ...(cursor === undefined ? {} : { cursor }) };
      const { data, meta } = await api.call('GET', '/conversions', { key: own.key, query: page });
      found.push(data.map(({ id }: { id: string }) => id));
      cursor = meta.nextCursor;
    } while (cursor !== undefined && found.length < ids.length);
    return found;
  };
  const [first, a, b, c, d, e] = ids;
  expect(await pages({})).toEqual([
    [c, b],
    [a, first],
  ]);
  expect(await idsOf(own.key, { held: 'true', offset: '1', limit: '2' })).toEqual([b, a]);
  const blocked = { key: own.key, body: { reason: 'Bids on our brand name' } };
  expect((await api.call('POST', `/affiliates/${own.affiliateId}/block`, blocked)).status).toBe(200);
  expect(await pages({})).toEqual([
    [e, d],
    [c, b],
    [a, first],
  ]);
  expect(await pages({ flagId: own.flagId })).toEqual([[b, a], [first]]);
  expect((await pages({ externalSaleId: 'b', affiliateId: own.affiliateId, limit: '100' })).flat()).toEqual([b]);
  const { meta } = await api.call('GET', '/conversions', { key: own.key, query: { held: 'true', page: '2', limit: '5' } });
  expect(meta).toMatchObject({ total: 6, hasMore: false });
});

test.each<Record<string, string>>([{ held: 'yes' }, { flagId: 'x' }])('400 for %j', async (query) => {
  const { key } = await makeMerchant(api.runtime);
  expect((await api.call('GET', '/conversions', { key, query })).status).toBe(400);
});
