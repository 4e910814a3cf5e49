import { addUpClicks } from '../../../src/domains/tracking/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { system } from '../../api/pipeline/support.ts';
import { click, makeShop, type TestShop } from '../../api/tracking/support.ts';
import { useOwnApi } from '../../support/api.ts';

const api = useOwnApi();
const context = () => api.runtime.context(system);
const clickTimes = (shop: TestShop, count: number) => Promise.all(Array.from({ length: count }, () => click(api, shop)));
const totalClicks = async (shop: TestShop): Promise<number> =>
  (await api.call('GET', `/affiliates/${shop.affiliateId}`, { key: shop.key })).data.totalClicks;

it('clicks reach the totals of their affiliate, and a repeat changes nothing', async () => {
  const shop = await makeShop(api);
  await clickTimes(shop, 30);
  expect(await totalClicks(shop)).toBe(0);
  expect(await addUpClicks(context())).toBeGreaterThanOrEqual(1);
  expect(await totalClicks(shop)).toBe(30);
  expect(await addUpClicks(context())).toBe(0);
  expect(await totalClicks(shop)).toBe(30);
});

it('clicks that come while they are added up, by several processes, are neither lost nor counted twice', async () => {
  const shop = await makeShop(api);
  let clicking = true;
  const adding = Array.from({ length: 2 }, async () => {
    while (clicking) await addUpClicks(context());
  });
  for (let round = 0; round < 5; round++) await clickTimes(shop, 20);
  clicking = false;
  await Promise.all(adding);
  await addUpClicks(context());
  expect(await totalClicks(shop)).toBe(100);
});

it('a round that fails changes nothing, and the next one counts', async () => {
  const shop = await makeShop(api);
  await clickTimes(shop, 3);
  await inTransaction(context(), async (sale) => {
    await execute(
      sale.em,
      sql`update affiliate_totals set conversions = conversions where affiliate_id = ${shop.affiliateId}::uuid`,
    );
    await expect(addUpClicks(context())).rejects.toThrow('lock timeout');
  });
  expect(await totalClicks(shop)).toBe(0);
  expect(await addUpClicks(context())).toBe(1);
  expect(await totalClicks(shop)).toBe(3);
});

it('more affiliates than one batch holds are all added up in one round', async () => {
  const { em } = context();
  await em.execute(`insert into click_total select uuidv7(), 'code', 0, 7 from generate_series(1, 250)`);
  expect(await addUpClicks(context())).toBe(250);
});
