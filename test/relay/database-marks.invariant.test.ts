import { temporalAccess } from '../../src/config.ts';
import type { PaymentsHoldCause } from '../../src/contracts/reconciliation.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { openTemporal, type TemporalClient } from '../../src/temporal/client.ts';
import { checkDatabaseMark } from '../../src/temporal/database-marks.ts';
import { useOwnApi } from '../support/api.ts';
import { unique } from '../support/factories.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { useForFile } from '../support/use-for-file.ts';

const api = useOwnApi({}, { asOwner: true });
/** As another server would have it after a restore. */
const restored = useOwnApi({}, { asOwner: true });
const temporal = useForFile(async () =>
  openTemporal({ ...temporalAccess(api.runtime.config), address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '' }),
);

interface Checked {
  on?: typeof api;
  clients?: TemporalClient['clients'];
  /** The process dies before payments are held. */
  dies?: boolean;
}

/** An installation of its own, whose database is at outbox number 1,000. */
const open = async () => {
  const queuePrefix = `marks-${unique()}-`;
  const causes: PaymentsHoldCause[] = [];
  const check = async ({ on = api, clients = temporal.clients, dies = false }: Checked = {}) => {
    const { orm, log } = on.runtime;
    const hold = async (cause: PaymentsHoldCause) => {
      if (dies) throw new Error('died');
      causes.push(cause);
    };
    await checkDatabaseMark({ orm, clients, queuePrefix, log, hold });
    return causes.splice(0);
  };
  const schedule = temporal.clients.background.schedule.getHandle(`${queuePrefix}database-marks`);
  const describe = () => schedule.describe();
  const write = (note: string) => schedule.update((found) => ({ ...found, state: { ...found.state, note } }));
  const read = async () => JSON.parse((await describe()).state.note ?? '');
  await setNumber(1_000);
  return { check, describe, write, read, causes, close: () => schedule.delete() };
};

const setNumber = (n: number, on = api) => rowsOf(on, `select setval('outbox_seq_seq', ?)`, [n]);

it('a database is marked once, in a Schedule that never starts anything, and the same one holds nothing', async () => {
  const { check, describe, read, close } = await open();
  expect(await check()).toEqual([]);
  expect(await read()).toMatchObject({ highest: '1000', timeline: 1 });
  expect((await describe()).state.paused).toBe(true);
  const { info } = await describe();
  expect(await check()).toEqual([]);
  expect((await describe()).info.lastUpdatedAt).toEqual(info.lastUpdatedAt);
  await setNumber(1_001);
  expect(await check()).toEqual([]);
  expect(await read()).toMatchObject({ highest: '1001' });
  await close();
});

it('a lower outbox number holds all payments before it is marked, so that a process that dies in between holds them again', async () => {
  const { check, read, close } = await open();
  await check();
  await setNumber(999);
  await expect(check({ dies: true })).rejects.toThrow('died');
  expect(await read()).toMatchObject({ highest: '1000' });
  expect(await check()).toEqual(['database_behind']);
  expect(await read()).toMatchObject({ highest: '999' });
  expect(await check()).toEqual([]);
  await close();
});

it('another database holds all payments, although its outbox is further', async () => {
  const { check, close } = await open();
  await check();
  await setNumber(5_000, restored);
  expect(await check({ on: restored })).toEqual(['database_replaced']);
  expect(await check({ on: restored })).toEqual([]);
  await close();
});

it('a standby that took over is a failover, and one that lost rows is behind', async () => {
  const { check, read, write, close } = await open();
  await check();
  await write(JSON.stringify({ ...(await read()), timeline: 0 }));
  expect(await check()).toEqual(['failover']);
  await write(JSON.stringify({ ...(await read()), timeline: 0, highest: '1002' }));
  expect(await check()).toEqual(['database_behind']);
  await close();
});

it('while Temporal is away, or its note is none of ours, nothing is known: the check fails, and so nothing is sent', async () => {
  const { check, write, close } = await open();
  await check();
  const away = openTemporal({ ...temporalAccess(api.runtime.config), address: `127.0.0.1:${await findFreePort(0)}` });
  await expect(check({ clients: away.clients })).rejects.toThrow();
  await away.close();
  await write('{"highest":"many"}');
  await expect(check()).rejects.toThrow('no mark of a database');
  await close();
});
