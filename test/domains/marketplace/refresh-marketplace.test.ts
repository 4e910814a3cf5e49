import { refreshMarketplace } from '../../../src/domains/marketplace/index.ts';
import { after, DAY_MS } from '../../../src/platform/clock.ts';
import { listAs, makePublicShop, refreshAll } from '../../api/marketplace/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliateKey, makeMerchant, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const figuresOf = (programId: string) =>
  rowsOf(api, 'select is_ready, epc::int, conversion_rate::int from marketplace_listing where program_id = ?', [programId]);

it('a repeat changes nothing, and within 30 seconds nothing is due again', async () => {
  const { programId } = await makePublicShop(api, { clicks: 2, sales: 1 });
  await refreshAll(api);
  const figures = await figuresOf(programId);
  expect(figures).toEqual([{ is_ready: true, epc: 100_000, conversion_rate: 5_000 }]);
  expect(await refreshMarketplace(context())).toBe(0);
  await refreshAll(api);
  expect(await figuresOf(programId)).toEqual(figures);
});

it('a change of the entry is due at once', async () => {
  const { key, programId } = await makePublicShop(api);
  await refreshAll(api);
  await api.call('PATCH', `/programs/${programId}`, { key, body: { commissionPercent: 33 } });
  expect(await refreshMarketplace(context())).toBe(1);
});

it('a program whose figures cannot be computed holds up no other, keeps its entry and is tried again in an hour', async () => {
  const broken = await makePublicShop(api, { clicks: 1, sales: 1 });
  const other = await makePublicShop(api);
  await refreshAll(api);
  await rowsOf(api, 'update conversion set commission = 9000000000000000000 where program_id = ?', [broken.programId]);
  await rowsOf(api, 'update marketplace_listing set is_ready = false where program_id = ?', [other.programId]);
  await refreshAll(api);
  expect(await figuresOf(broken.programId)).toEqual([{ is_ready: true, epc: 200_000, conversion_rate: 10_000 }]);
  expect(await figuresOf(other.programId)).toMatchObject([{ is_ready: true }]);
  const [{ minutes }] = await rowsOf(
    api,
    'select extract(epoch from due_at - now()) / 60 as minutes from marketplace_refresh where program_id = ?',
    [broken.programId],
  );
  expect(Number(minutes)).toBeGreaterThan(50);
});

it('processes that refresh at the same time share the programs, 100 at a time', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const { programId } = await makePublicShop(api);
  const name = unique();
  await rowsOf(
    api,
    `insert into program select made.* from program p, generate_series(1, 250) n, jsonb_populate_record(p, jsonb_build_object(
       'id', gen_random_uuid(), 'slug', ?::text || n, 'merchant_id', ?::text, 'portal_slug', null)) made where p.id = ?`,
    [name, merchantId, programId],
  );
  await rowsOf(
    api,
    `update marketplace_refresh set due_at = '2020-01-01' where program_id in (select id from program where merchant_id = ?)`,
    [merchantId],
  );
  await rowsOf(
    api,
    `update marketplace_refresh set due_at = '2999-01-01' where program_id not in (select id from program where merchant_id = ?)`,
    [merchantId],
  );
  const refreshed = await Promise.all([1, 2].map(() => refreshMarketplace(context())));
  expect(refreshed).toEqual([100, 100]);
  expect(await refreshMarketplace(context())).toBe(50);
  expect(await refreshMarketplace(context())).toBe(0);
  expect((await api.call('GET', '/programs', { key, query: { limit: '1' } })).meta.total).toBe(250);
});

it('the entry of a program is made with it, and the application reads it with one statement', async () => {
  const { profileId, programId } = await makePublicShop(api);
  expect(await figuresOf(programId)).toEqual([{ is_ready: false, epc: 0, conversion_rate: 0 }]);
  const key = await makeAffiliateKey(api.runtime, profileId);
  expect((await listAs(api, key)).data.map(({ id }: { id: string }) => id)).not.toContain(programId);
});

it('a turn reads three days: a sale of an older day that changes is seen within thirty turns, one of yesterday in the next', async () => {
  const { programId } = await makePublicShop(api, { clicks: 2, sales: 2 });
  const [older, newer] = await rowsOf(api, 'select id from conversion where program_id = ? order by id', [programId]);
  const ageOf = (id: string, days: number) =>
    rowsOf(api, `update conversion set created_at = now() - ? * interval '1 day' where id = ?`, [days, id]);
  await ageOf(older.id, 10);
  await ageOf(newer.id, 1);
  const turn = async () => {
    await rowsOf(api, `update marketplace_refresh set due_at = '2020-01-01' where program_id = ?`, [programId]);
    await refreshMarketplace(context());
  };
  await turn();
  expect(await figuresOf(programId)).toEqual([{ is_ready: true, epc: 200_000, conversion_rate: 10_000 }]);
  await rowsOf(api, `update conversion set status = 'rejected', commission = 0 where id = ?`, [newer.id]);
  await turn();
  expect(await figuresOf(programId)).toEqual([{ is_ready: true, epc: 100_000, conversion_rate: 5_000 }]);
  await rowsOf(api, `update conversion set status = 'rejected', commission = 0 where id = ?`, [older.id]);
  await turn();
  expect(await figuresOf(programId)).toEqual([{ is_ready: true, epc: 100_000, conversion_rate: 5_000 }]);
  for (let n = 0; n < 28; n++) await turn();
  expect(await figuresOf(programId)).toEqual([{ is_ready: true, epc: 0, conversion_rate: 0 }]);
});

it('days that left the window count no longer', async () => {
  const { programId } = await makePublicShop(api, { clicks: 1, sales: 1 });
  await refreshAll(api);
  const later = { ...context(), clock: { now: () => after(new Date(), 30 * DAY_MS) } };
  await rowsOf(api, 'update click_count set day = day + 30');
  await rowsOf(api, `update marketplace_refresh set due_at = '2020-01-01'`);
  while ((await refreshMarketplace(later)) > 0);
  expect(await figuresOf(programId)).toEqual([{ is_ready: true, epc: 0, conversion_rate: 0 }]);
});
