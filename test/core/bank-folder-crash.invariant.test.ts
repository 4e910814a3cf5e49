import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { BankDouble } from '../../src/local/bank-double/bank.ts';
import { carry } from '../../src/local/bank-double/carrier.ts';
import type { FaultPoint } from '../../src/platform/fault-points.ts';
import { DAY, makeBankPayouts } from '../api/bank-files/support.ts';
import { operator } from '../chaos/support/settled.ts';
import { openTestCluster } from '../chaos/support/test-cluster.ts';
import { unique } from '../support/factories.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

type FolderPoint = Extract<FaultPoint, 'bank:after-promise' | 'bank:after-show' | 'bank:before-move'>;

const cluster = useForFile(async () => {
  const folder = await mkdtemp(join(tmpdir(), `tributary-folders-${unique()}`));
  const [outbox, inbox] = [join(folder, 'outbox'), join(folder, 'inbox')];
  const opened = await openTestCluster({ env: { BANK_OUTBOX_DIR: outbox, BANK_INBOX_DIR: inbox, RAIL_BANK_TRANSFER: 'sepa' } });
  return {
    ...opened,
    outbox,
    inbox,
    async close() {
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

const POINTS: readonly FolderPoint[] = ['bank:after-promise', 'bank:after-show', 'bank:before-move'];

it.each(POINTS)('a worker that dies at %s brings each file to the bank once, and applies its answers once', async (point) => {
  const { outbox, inbox } = cluster;
  const { make, merchantId, states, payoutIds, timeline } = await makeBankPayouts(cluster, ['Ada A', 'Bob ERRAC04RJCT']);
  for (const folder of [outbox, inbox]) await mkdir(join(folder, merchantId), { recursive: true });
  const { name } = (await make()).data.files[0];
  const bank = new BankDouble(() => new Date());
  const seen = new Set<string>();
  const own = { outbox: join(outbox, merchantId), inbox: join(inbox, merchantId) };
  const carried = async () => (await carry(bank, own, seen, DAY)) + seen.size;

  let worker = await cluster.startWorker({ faults: point });
  if (point === 'bank:before-move') await until('the file is carried', carried, (files) => files > 0);
  await worker.ended();
  worker = await cluster.startWorker();
  await until('the file is carried', carried, (files) => files > 0);
  await until('its answers are applied', states, (now) => now.join() === 'paid,failed');
  const inboxOf = () => readdir(join(inbox, merchantId));
  await until('the inbox is empty', inboxOf, (names) => names.join() === 'done');

  expect((await readdir(join(outbox, merchantId))).toSorted()).toEqual([name, `${name}.sha256`]);
  const imports = await rowsOf(cluster, `select kind from bank_statement where merchant_id = ?`, [merchantId]);
  expect((await readdir(join(inbox, merchantId, 'done'))).length).toBe(imports.length);
  for (const id of payoutIds) expect((await timeline(id)).filter((type) => type === 'file_downloaded')).toHaveLength(1);
  expect([...bank.received.values()]).toEqual([2_000n]);
  expect(await verifyLedger(operator(cluster.runtime))).toEqual([]);
  await worker.stop();
});
