import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSchedules, exchangeIfDue } from '../../src/worker/schedules.ts';
import { makeBankPayouts } from '../api/bank-files/support.ts';
import { unique } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const root = join(tmpdir(), `tributary-folders-${unique()}`);
const [outbox, inbox] = [join(root, 'outbox'), join(root, 'inbox')];
afterAll(() => rm(root, { recursive: true, force: true }));

const system = useTestSystem({ env: { BANK_OUTBOX_DIR: outbox, BANK_INBOX_DIR: inbox } });

it('its Schedule is triggered when there is something to exchange, and hands files over and imports answers', async () => {
  const { clients } = system.temporal;
  const client = clients.background;
  const queuePrefix = system.runtime.config.TEMPORAL_QUEUE_PREFIX;
  await ensureSchedules(clients, { queuePrefix });
  const schedule = client.schedule.getHandle(`${queuePrefix}bank-folders`);
  const context = () => system.runtime.context({ kind: 'system', name: 'test' });
  const isDue = () => system.runtime.isBankFolderDue(context());
  expect(await isDue()).toBe(false);

  const { make, merchantId } = await makeBankPayouts(system, ['Ada A']);
  for (const folder of [outbox, inbox]) await mkdir(join(folder, merchantId), { recursive: true });
  const { name } = (await make()).data.files[0];
  await writeFile(join(inbox, merchantId, 'none.xml'), '<a/>');
  await writeFile(join(inbox, merchantId, 'none.xml.sha256'), '9c5f0b6b');
  expect(await isDue()).toBe(true);
  await exchangeIfDue(clients, { queuePrefix, isDue });
  const ran = await until(
    'the schedule has started a run',
    async () => (await schedule.describe()).info.recentActions,
    (actions) => actions.length > 0,
  );
  const run = ran[0]?.action.workflow;
  const handle = client.workflow.getHandle(run?.workflowId ?? '', run?.firstExecutionRunId);
  expect(await handle.result()).toEqual({ handedOver: 1, imported: 0, failed: 0 });
  expect((await readdir(join(outbox, merchantId))).toSorted()).toEqual([name, `${name}.sha256`]);
  await recordHistory(handle, 'bankFolders', 'one-file');
  await schedule.delete();
});
