import { forkOf } from '../../../src/platform/database/orm.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';

const api = useOwnApi();

/** Records a sale as a sale event does, under a shared lock on the program, and commits on `finish`. */
const recordSaleSlowly = async (programId: string) => {
  let finish = () => {};
  let started = () => {};
  const finishing = new Promise<void>((resolve) => (finish = resolve));
  const holding = new Promise<void>((resolve) => (started = resolve));
  const recorded = forkOf(api.runtime.orm).transactional(async (em) => {
    const manager = em as Parameters<typeof execute>[0];
    await execute(manager, sql`select id from program where id = ${programId}::uuid for share`);
    await execute(
      manager,
      sql`insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, occurred_at, created_at)
        values (${api.runtime.ids.next()}::uuid, ${programId}::uuid, ${programId}::uuid, 'event', 's1', 'h', 100, 'usd', 'c1', now(), now())`,
    );
    started();
    await finishing;
  });
  await holding;
  return { finish, recorded };
};

test('a currency change waits for a sale that is being recorded and then fails', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { finish, recorded } = await recordSaleSlowly(programId);
  const change = api.call('PATCH', `/programs/${programId}`, { key, body: { currency: 'eur' } });
  await untilSomebodyWaits(api);
  finish();
  await recorded;
  expect((await change).error.details).toEqual({ reason: 'CURRENCY_LOCKED', currency: 'usd' });
});
