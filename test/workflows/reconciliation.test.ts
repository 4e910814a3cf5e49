import { ensureSchedules } from '../../src/worker/schedules.ts';
import { recordHistory } from '../support/histories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem();

it('the daily Schedule compares every account, and a clean comparison is its result', async () => {
  const { clients } = system.temporal;
  const client = clients.background;
  const queuePrefix = system.runtime.config.TEMPORAL_QUEUE_PREFIX;
  await ensureSchedules(clients, { queuePrefix });
  const schedule = client.schedule.getHandle(`${queuePrefix}reconciliation`);
  expect((await schedule.describe()).spec.intervals).toEqual([{ every: 86_400_000, offset: 14_400_000 }]);
  await schedule.trigger();
  const ran = await until(
    'the schedule has started a run',
    async () => (await schedule.describe()).info.recentActions,
    (actions) => actions.length > 0,
  );
  const run = ran[0]?.action.workflow;
  const handle = client.workflow.getHandle(run?.workflowId ?? '', run?.firstExecutionRunId);
  expect(await handle.result()).toEqual({ accounts: 1, failed: 0, differences: 0, resumed: false });
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  expect(await em.execute(`select status, trigger from reconciliation_run where rail = 'sandbox'`)).toEqual([
    { status: 'completed', trigger: 'schedule' },
  ]);
  await recordHistory(handle, 'reconciliation', 'one-account');
  await schedule.delete();
});
