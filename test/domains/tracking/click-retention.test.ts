import { deleteExpiredClicks } from '../../../src/domains/tracking/index.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { system } from '../../api/pipeline/support.ts';
import { click, makeShop, type TestShop } from '../../api/tracking/support.ts';
import { useOwnApi } from '../../support/api.ts';

const api = useOwnApi({}, { asOwner: true });
const context = () => api.runtime.context(system);

const insertClicks = ({ programId, affiliateId, code }: TestShop, ageDays: number, count: number) =>
  context().em.execute(`insert into click select uuidv7(-interval '${ageDays} days'), '${programId}', '${affiliateId}', null, '${code}', 'page', null,
    null, 'direct', '{}', '\\x00', '\\x00', '\\x00', '\\x00' from generate_series(1, ${count})`);

const countOf = async ({ programId }: TestShop): Promise<number> =>
  (
    await firstRow(
      context().em,
      sql<{ clicks: number }>`select count(*)::int as clicks from click where program_id = ${programId}::uuid`,
    )
  )?.clicks ?? 0;

it('clicks past the cookie window of their program and 30 days are deleted in batches; younger ones and numbers stay', async () => {
  const short = await makeShop(api, { cookieDuration: 1 });
  const long = await makeShop(api, { cookieDuration: 365 });
  await click(api, short);
  for (const shop of [short, long]) {
    await insertClicks(shop, 30, 5);
    await insertClicks(shop, 32, 25);
    await insertClicks(shop, 394, 5);
    await insertClicks(shop, 396, 5);
  }
  const deleted: number[] = [];
  for (;;) {
    const batch = await deleteExpiredClicks(context(), { limit: 20 });
    deleted.push(batch);
    if (batch === 0) break;
  }
  expect(deleted).toEqual([20, 20, 0]);
  expect([await countOf(short), await countOf(long)]).toEqual([6, 35]);
  const numbers = await rows(
    context().em,
    sql<{ clicks: number }>`select sum(clicks)::int as clicks from click_count where affiliate_id = ${short.affiliateId}::uuid`,
  );
  expect(numbers).toEqual([{ clicks: 1 }]);
});

it('all programs are looked at, however many there are', async () => {
  const shop = await makeShop(api, { cookieDuration: 1 });
  await context().em.execute(`insert into program select (jsonb_populate_record(p, jsonb_build_object(
      'id', '00000000-0000-7000-8000-' || lpad(n::text, 12, '0'), 'slug', 'before-' || n))).*
    from program p, generate_series(1, 250) as n where p.id = '${shop.programId}'`);
  await insertClicks(shop, 60, 3);
  expect(await deleteExpiredClicks(context(), { limit: 100 })).toBe(3);
  expect(await deleteExpiredClicks(context(), { limit: 100 })).toBe(0);
});

it('a month of clicks is dropped once its last day is 400 days old', async () => {
  const { em } = context();
  const months = await rows(
    em,
    sql<{
      month: string;
    }>`select to_char(now() - make_interval(months => ago), 'YYYY-MM-01') as month from unnest(array[13, 15]) as ago`,
  );
  for (const { month } of months) await em.execute(`select create_partition('click', 'id', '${month}')`);
  const dropped: unknown[] = [];
  for (;;) {
    const one = await firstRow(em, sql<{ dropped: string | null }>`select dropped from drop_expired_partition()`);
    if (!one?.dropped) break;
    dropped.push(one.dropped);
  }
  expect(dropped).toEqual([`click_${months[1]?.month.slice(0, 7).replace('-', '_')}`]);
});
