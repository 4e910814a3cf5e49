import { SCREENING_LIMITS } from '../../../src/contracts/screening-limits.ts';
import { screenClicks } from '../../../src/domains/flags/use-cases/screening.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { click, makeShop, visitorId } from '../../api/tracking/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, sendSale } from '../../support/factories.ts';
import { screenAll } from '../../support/screening.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async () => {
  const shop = await makeShop(api);
  const clickOften = async (times: number, from?: string) => {
    for (let n = 0; n < times; n++) await click(api, shop, { body: { visitorId: visitorId() }, ...(from ? { from } : {}) });
  };
  const flags = () =>
    rows(
      context().em,
      sql<{ type: string; reason: string; conversions: number; deadline: string }>`select f.type,
          f.details #>> '{evidence,0,reason}' as reason, f.conversion_count as conversions, f.due_at::text as deadline
        from flag f where f.affiliate_id = ${shop.affiliateId}::uuid`,
    );
  const sell = async () => (await sendSale(api, shop.program, { referralCode: shop.code })).data.conversionId as string;
  const wakes = async () =>
    (
      await firstRow(
        context().em,
        sql<{ count: number }>`select count(*)::int from outbox where topic = 'screening.wake'
          and payload ->> 'shard' = screening_shard(${shop.affiliateId}::uuid)::text`,
      )
    )?.count;
  return { ...shop, clickOften, flags, sell, wakes };
};

it('thirty clicks a minute from one address are fine, and the next one flags the affiliate with the unpaid sales of the day', async () => {
  const { clickOften, flags, sell, wakes } = await setUp();
  await sell();
  const before = await wakes();
  await clickOften(SCREENING_LIMITS.clicksPerMinute, '127.8.8.8');
  await screenAll(api.runtime);
  expect(await flags()).toEqual([]);
  // The minute may end between two clicks.
  await clickOften(2 * SCREENING_LIMITS.clicksPerMinute, '127.8.8.8');
  const woken = ((await wakes()) ?? 0) - (before ?? 0);
  expect(woken).toBeGreaterThanOrEqual(1);
  expect(woken).toBeLessThanOrEqual(2);
  await screenAll(api.runtime);
  const [flag] = await flags();
  expect(flag).toMatchObject({ type: 'high_click_frequency', reason: 'many_clicks_of_one_address', conversions: 1 });
  const held = await sell();
  expect(await flags()).toEqual([{ ...flag, conversions: 2 }]);
  const status = await firstRow(context().em, sql<{ status: string }>`select status from conversion where id = ${held}::uuid`);
  expect(status).toEqual({ status: 'pending' });
});

it('the same number of clicks from many addresses is fine, up to the limit of an hour', async () => {
  const { clickOften, flags, affiliateId } = await setUp();
  await clickOften(SCREENING_LIMITS.clicksPerMinute + 5);
  await screenAll(api.runtime);
  expect(await flags()).toEqual([]);
  await context().em.execute(
    `update click_hour set clicks = ? where (affiliate_id, hour, shard) in
      (select affiliate_id, hour, shard from click_hour where affiliate_id = ? order by hour desc limit 1)`,
    [SCREENING_LIMITS.clicksPerHour, affiliateId],
  );
  await clickOften(1);
  await screenAll(api.runtime);
  expect(await flags()).toMatchObject([{ type: 'high_click_frequency', reason: 'many_clicks_in_an_hour', conversions: 0 }]);
});

it('what was handled is not found again', async () => {
  const { clickOften, affiliateId, flags } = await setUp();
  await clickOften(2 * SCREENING_LIMITS.clicksPerMinute + 2, '127.8.8.9');
  await screenAll(api.runtime);
  const shard = Number.parseInt(affiliateId.slice(-1), 16);
  expect(await screenClicks(context(), { shard, limit: 10 })).toBe(false);
  expect(await flags()).toHaveLength(1);
});

it('numbers that no rule compares any more are deleted', async () => {
  const { affiliateId, clickOften } = await setUp();
  await clickOften(1);
  await context().em.execute(
    `insert into click_hour select affiliate_id, hour - interval '40 days', shard, clicks from click_hour where affiliate_id = ?`,
    [affiliateId],
  );
  const count = () =>
    firstRow(
      context().em,
      sql<{ count: number }>`select count(*)::int from click_hour where affiliate_id = ${affiliateId}::uuid`,
    );
  expect(await count()).toEqual({ count: 2 });
  await context().em.execute('select delete_expired_windows(100)');
  expect(await count()).toEqual({ count: 1 });
});

it('a transaction flags one affiliate, however many of its shard had too many clicks', async () => {
  const { affiliateId, programId, flags } = await setUp();
  const shard = Number.parseInt(affiliateId.slice(-1), 16);
  let other = await makeAffiliate(api.runtime, programId);
  while (Number.parseInt(other.affiliateId.slice(-1), 16) !== shard) other = await makeAffiliate(api.runtime, programId);
  for (const minute of ['10:00', '10:01']) {
    await context().em.execute(
      `insert into click_alert (affiliate_id, minute, clicks_per_minute, clicks_per_hour)
        select id, ?, 1000, 1000 from unnest(array[?, ?]::uuid[]) as id`,
      [`2026-01-16 ${minute}Z`, affiliateId, other.affiliateId],
    );
  }
  const screen = () => screenClicks(context(), { shard, limit: 10 });
  expect(await screen()).toBe(true);
  expect(await flags()).toHaveLength(1);
  const flagged = await firstRow(
    context().em,
    sql<{ count: number }>`select count(*)::int from flag where affiliate_id = ${other.affiliateId}::uuid`,
  );
  expect(flagged).toEqual({ count: 0 });
  expect([await screen(), await screen()]).toEqual([true, false]);
});
