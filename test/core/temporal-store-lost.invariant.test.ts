import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearLockedPorts } from 'get-port';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { prepareDataDirectory } from '../../src/local/stack/data-directory.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { type OpenTemporal, openTemporal } from '../../src/local/stack/temporal.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

let temporal: OpenTemporal;
let system: TestSystem;

/** A server without any data. */
const startTemporal = async (port: number): Promise<OpenTemporal> => {
  const directory = await prepareDataDirectory(await mkdtemp(join(tmpdir(), 'tributary-temporal-')));
  const log = () => {};
  return openTemporal({ directory, env: process.env, log, port, uiPort: null, persistent: false });
};

beforeAll(async () => {
  temporal = await startTemporal(await findFreePort(0));
  system = await openTestSystem({
    env: { TEMPORAL_ADDRESS: temporal.url },
    reconcile: { everyMs: 1_000, graceMs: 500 },
    sandbox: { settleMs: 2_000 },
  });
});

afterAll(async () => {
  await system?.close();
  await temporal?.close();
});

const bySandbox = async () => {
  const { key, affiliateId, programId } = await makePayable(system, { local: `ok+${unique()}` });
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const read = async () => (await system.call('GET', `/payouts/${data.id}`, { key })).data;
  return { id: data.id as string, read };
};

it('R6: when Temporal loses its store, every open payout gets a workflow again and none is paid twice', async () => {
  const manual = await makeManualPayout(system);
  expect((await manual.act('process')).data.status).toBe('processing');
  const payouts = await Promise.all([bySandbox(), bySandbox(), bySandbox(), bySandbox()]);
  for (const { read } of payouts) await until('the payout is processing', read, ({ status }) => status === 'processing');

  const address = temporal.url;
  await temporal.close();
  const during = await bySandbox();
  clearLockedPorts();
  temporal = await startTemporal(Number(address.split(':')[1]));
  expect(temporal.url).toBe(address);

  for (const { read } of [...payouts, during])
    await until('the payout is completed', read, ({ status }) => status === 'completed');
  const workflow = system.temporal.clients.finance.workflow.getHandle(`payout/${manual.payoutId}`);
  await until(
    'the manual payout has a workflow again',
    () =>
      workflow.describe().then(
        ({ status }) => status.name,
        () => 'MISSING',
      ),
    (status) => status === 'RUNNING',
  );
  await manual.act('complete', {});
  expect(await workflow.result()).toMatchObject({ status: 'completed' });

  for (const { executedCount } of await system.sandbox.transfers()) expect(executedCount).toBe(1);
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});
