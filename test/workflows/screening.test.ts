import { WORKFLOW_IDS } from '../../src/contracts/workflows.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { makeAffiliate, makeMerchant, makeProgram, saleEvent, sendUnscreened } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { until, useTestSystem } from '../support/system.ts';

const system = useTestSystem({ reconcile: { everyMs: 500, graceMs: 200 } });
const context = () => system.runtime.context({ kind: 'system', name: 'test' });

const setUp = async (settings: Record<string, unknown> = {}) => {
  const { key } = await makeMerchant(system.runtime);
  const program = await makeProgram(system, key, settings);
  const affiliate = await makeAffiliate(system.runtime, program.programId);
  const shard = Number.parseInt(affiliate.affiliateId.slice(-1), 16);
  const sell = async () => (await sendUnscreened(system, program, saleEvent({ referralCode: affiliate.code }))).data.conversionId;
  const conversion = (id: string) =>
    firstRow(
      context().em,
      sql<{
        screenedAt: string | null;
        status: string;
      }>`select screened_at as "screenedAt", status from conversion where id = ${id}::uuid`,
    );
  return { ...affiliate, key, program, shard, sell, conversion };
};

it('a sale wakes the workflow of its shard, which screens it and approves what has no hold period', async () => {
  const { sell, conversion, shard } = await setUp();
  const id = await sell();
  expect(
    await until(
      () => conversion(id),
      (row) => row?.status === 'approved',
    ),
  ).toMatchObject({ screenedAt: expect.any(String) });
  const handle = system.temporal.client.workflow.getHandle(
    system.runtime.config.TEMPORAL_QUEUE_PREFIX + WORKFLOW_IDS.screening(shard),
  );
  const { type, status } = await handle.describe();
  expect([type, status.name]).toEqual(['screening', 'RUNNING']);
  await recordHistory(handle, 'screening', 'open');
});

it('a workflow that was terminated comes back, and a cancellation has no effect', async () => {
  const { sell, conversion, shard } = await setUp();
  const handle = system.temporal.client.workflow.getHandle(
    system.runtime.config.TEMPORAL_QUEUE_PREFIX + WORKFLOW_IDS.screening(shard),
  );
  const isScreened = (id: string) =>
    until(
      () => conversion(id),
      (row) => row?.screenedAt !== null && row !== null,
      30_000,
    );
  await isScreened(await sell());
  await handle.cancel();
  await isScreened(await sell());
  await handle.terminate('lost');
  const id = await sell();
  // Without the row that would wake it.
  await context().em.execute(`delete from outbox where topic = 'screening.wake'`);
  expect(await isScreened(id)).toMatchObject({ status: 'approved' });
}, 60_000);
