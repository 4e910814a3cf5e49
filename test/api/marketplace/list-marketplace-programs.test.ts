import { type TestResponse, useOwnApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeMerchant,
  makeProgram,
  sendRefund,
  sendSale,
  unique,
} from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { click, makeShop } from '../tracking/support.ts';
import { affiliateKeyOf, listAs, makePublicShop, refreshAll } from './support.ts';

const api = useOwnApi();
let key: string;
beforeAll(async () => {
  const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  key = await makeAffiliateKey(api.runtime, (await makeAffiliate(api.runtime, programId)).profileId);
});

const list = (query: Record<string, string> = {}): Promise<TestResponse> => listAs(api, key, query);
const idsOf = ({ data }: TestResponse): string[] => data.map(({ id }: { id: string }) => id);
const aCategory = (): string => `Category ${unique()}`;
const find = async (marketplaceCategory: string, query: Record<string, string> = {}) =>
  list({ category: marketplaceCategory, ...query });

describe('the programs that are listed', () => {
  it('shows what an affiliate wants to know about a program, in the category in any case', async () => {
    const marketplaceCategory = aCategory();
    const shop = await makePublicShop(api, {
      marketplaceCategory,
      marketplaceDescription: 'For small teams',
      description: 'Internal',
      clicks: 4,
      sales: 1,
    });
    await refreshAll(api);
    const found = await find(marketplaceCategory.toUpperCase());
    expect(found.meta).toMatchObject({ total: 1, page: 1, pageSize: 20, hasMore: false });
    expect(found.data).toEqual([
      {
        id: shop.programId,
        programId: shop.programId,
        name: expect.any(String),
        companyName: expect.any(String),
        description: 'For small teams',
        category: marketplaceCategory,
        logoUrl: null,
        website: shop.origin,
        termsUrl: null,
        commissionType: 'recurring',
        commissionPercent: 20,
        commissionLimitMonths: null,
        cookieDuration: 30,
        currency: 'usd',
        epc: 5,
        epcMinor: 500,
        conversionRate: 25,
        applicationAccess: 'open',
        createdAt: expect.any(String),
      },
    ]);
  });

  it('a program is listed while it is active and public, without waiting for the next refresh', async () => {
    const marketplaceCategory = aCategory();
    const { key: merchantKey, programId } = await makePublicShop(api, { marketplaceCategory });
    await refreshAll(api);
    const shownAfter = async (body: object) => {
      expect((await api.call('PATCH', `/programs/${programId}`, { key: merchantKey, body })).status).toBe(200);
      return (await find(marketplaceCategory)).meta.total;
    };
    expect(await shownAfter({ status: 'paused' })).toBe(0);
    expect(await shownAfter({ status: 'active' })).toBe(1);
    expect(await shownAfter({ marketplaceStatus: 'draft' })).toBe(0);
    expect(await shownAfter({ marketplaceStatus: 'public' })).toBe(1);
    expect(await shownAfter({ marketplaceStatus: 'private' })).toBe(0);
    expect(await shownAfter({ marketplaceStatus: 'public', applicationAccess: 'invite_only' })).toBe(1);
    expect(await shownAfter({ status: 'archived' })).toBe(0);
  });

  it('a program is listed once it is ready: a payment source, a click and an affiliate', async () => {
    const marketplaceCategory = aCategory();
    const shop = await makeShop(api, { marketplaceCategory, marketplaceStatus: 'public' });
    await refreshAll(api);
    expect((await find(marketplaceCategory)).data).toEqual([]);
    await click(api, shop);
    await refreshAll(api);
    expect(idsOf(await find(marketplaceCategory))).toEqual([shop.programId]);
    await api.call('POST', `/affiliates/${shop.affiliateId}/block`, { key: shop.key });
    await refreshAll(api);
    expect((await find(marketplaceCategory)).data).toEqual([]);
  });
});

describe('the figures', () => {
  it('the figures are zero without clicks in the last 30 days', async () => {
    const marketplaceCategory = aCategory();
    const { affiliateId } = await makePublicShop(api, { marketplaceCategory, sales: 2 });
    await rowsOf(api, `update click_count set day = current_date - 31 where affiliate_id = ?`, [affiliateId]);
    await refreshAll(api);
    expect((await find(marketplaceCategory)).data).toMatchObject([{ epc: 0, conversionRate: 0 }]);
  });

  it('contain sales of the last 30 days, less refunds', async () => {
    const marketplaceCategory = aCategory();
    const shop = await makePublicShop(api, { marketplaceCategory, clicks: 3, sales: 1 });
    const old = await sendSale(api, shop.program, { clickToken: shop.clickToken });
    await rowsOf(api, `update conversion set created_at = now() - interval '31 days' where id = ?`, [old.data.conversionId]);
    for (const [saleId, amount] of [
      ['half', 5_000],
      ['whole', 10_000],
    ] as const) {
      await sendSale(api, shop.program, { saleId, clickToken: shop.clickToken });
      await sendRefund(api, shop.program, { saleId, amount });
    }
    await refreshAll(api);
    expect((await find(marketplaceCategory)).data).toMatchObject([{ epc: 10, conversionRate: 66.67 }]);
  });

  it('IN10: only sales that came by a click are compared with the clicks, and not later payments of a customer', async () => {
    const marketplaceCategory = aCategory();
    const shop = await makePublicShop(api, { marketplaceCategory, clicks: 2, commissionType: 'recurring' });
    const customer = { id: 'c-1', email: 'buyer@example.org' };
    await sendSale(api, shop.program, { clickToken: shop.clickToken, customer, subscriptionId: 'sub-1' });
    for (let n = 0; n < 2; n++) await sendSale(api, shop.program, { customer, subscriptionId: 'sub-1' });
    for (let n = 0; n < 5; n++) await sendSale(api, shop.program, { referralCode: shop.code });
    await refreshAll(api);
    expect((await find(marketplaceCategory)).data).toMatchObject([{ conversionRate: 50, epc: 80, epcMinor: 8_000 }]);
  });

  it('the figures are in units of the currency of the program, also where it has no cents', async () => {
    const marketplaceCategory = aCategory();
    await makePublicShop(api, { marketplaceCategory, currency: 'jpy', clicks: 3, sales: 1 });
    await refreshAll(api);
    expect((await find(marketplaceCategory)).data).toMatchObject([
      { currency: 'jpy', epc: 666.6667, epcMinor: 666.6667, conversionRate: 33.33 },
    ]);
  });
});

describe('sorting, filters and pages', () => {
  const marketplaceCategory = aCategory();
  /** Oldest first: name, clicks, sales, percent. */
  const shops = [
    { clicks: 4, sales: 2, commissionPercent: 10 },
    { clicks: 2, sales: 1, commissionPercent: 30 },
    { clicks: 4, sales: 1, commissionPercent: 50.5 },
    { clicks: 1, sales: 0, commissionPercent: 5 },
    { clicks: 2, sales: 0, commissionPercent: 5 },
  ];
  let ids: string[];
  beforeAll(async () => {
    ids = [];
    for (const shop of shops) ids.push((await makePublicShop(api, { marketplaceCategory, ...shop })).programId);
    await refreshAll(api);
  });
  const sorted = (...order: number[]): (string | undefined)[] => order.map((at) => ids[at]);

  it.each([
    ['epc', [1, 2, 0, 4, 3]],
    ['conversionRate', [1, 0, 2, 4, 3]],
    ['commission', [2, 1, 0, 4, 3]],
    ['newest', [4, 3, 2, 1, 0]],
  ])('sorted by %s, highest first, in pages of every style', async (sort, order) => {
    expect(idsOf(await find(marketplaceCategory, { sort }))).toEqual(sorted(...order));
    const cursors: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await find(marketplaceCategory, { sort, limit: '2', ...(cursor === '' ? {} : { cursor }) });
      expect(page.meta.total).toBe(5);
      cursors.push(...idsOf(page));
      cursor = page.meta.nextCursor;
    }
    expect(cursors).toEqual(sorted(...order));
    expect(idsOf(await find(marketplaceCategory, { sort, offset: '2', limit: '2' }))).toEqual(sorted(...order).slice(2, 4));
    expect(idsOf(await find(marketplaceCategory, { sort, page: '3', pageSize: '2' }))).toEqual(sorted(...order).slice(4));
  });

  it('sorted by epc by default', async () => {
    expect(idsOf(await find(marketplaceCategory))).toEqual(sorted(1, 2, 0, 4, 3));
  });

  it('minCommission is in percent and minEpc in dollars', async () => {
    expect(idsOf(await find(marketplaceCategory, { minCommission: '10' }))).toEqual(sorted(1, 2, 0));
    expect(idsOf(await find(marketplaceCategory, { minCommission: '30.01' }))).toEqual(sorted(2));
    expect(idsOf(await find(marketplaceCategory, { minEpc: '12.625' }))).toEqual(sorted(1, 2));
    expect((await find(marketplaceCategory, { minEpc: '12.6251' })).meta).toMatchObject({ total: 1 });
    expect(idsOf(await find(marketplaceCategory, { minEpc: '0', minCommission: '0' }))).toHaveLength(5);
  });

  it.each([
    ['sort', 'random'],
    ['minCommission', '101'],
    ['minCommission', '-1'],
    ['minCommission', 'ten'],
    ['minCommission', '1.005'],
    ['minEpc', '-0.5'],
    ['minEpc', '1e3'],
    ['minEpc', '0.00001'],
    ['limit', '51'],
    ['pageSize', '51'],
    ['category', ' '],
    ['status', 'active'],
  ])('400 for %s=%s', async (path, value) => {
    expect(await list({ [path]: value })).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', details: { issues: [expect.objectContaining({ path })] } },
    });
  });

  it('a cursor continues only the order that it was issued for', async () => {
    const { meta } = await find(marketplaceCategory, { limit: '1', sort: 'epc' });
    expect((await find(marketplaceCategory, { cursor: meta.nextCursor, sort: 'newest' })).status).toBe(400);
    expect((await find(marketplaceCategory, { cursor: meta.nextCursor, sort: 'epc' })).status).toBe(200);
  });
});

test('the affiliate of a listed program sees it like everybody else', async () => {
  const marketplaceCategory = aCategory();
  const shop = await makePublicShop(api, { marketplaceCategory });
  await refreshAll(api);
  expect((await listAs(api, await affiliateKeyOf(api, shop), { category: marketplaceCategory })).data).toEqual(
    (await find(marketplaceCategory)).data,
  );
});
