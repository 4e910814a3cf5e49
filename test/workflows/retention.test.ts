import { ensureSchedules, removeFormerSchedules } from '../../src/worker/schedules.ts';
import { recordHistory } from '../support/histories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem();

it('G3: the daily schedule removes what has expired, step by step, until nothing is left', async () => {
  const { clients } = system.temporal;
  const client = clients.background;
  const queuePrefix = system.runtime.config.TEMPORAL_QUEUE_PREFIX;
  await ensureSchedules(clients, { queuePrefix });
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  await em.execute(`insert into rail_notification
    (id, rail, external_id, idempotency_key, status, occurred_at, received_at, handled_at)
    select uuidv7(-interval '401 days'), 'sandbox', n::text, n::text, 'paid', now(), now(), now() from generate_series(1, 2500) as n`);
  const schedule = client.schedule.getHandle(`${queuePrefix}retention`);
  const { spec } = await schedule.describe();
  expect(spec.intervals).toEqual([{ every: 86_400_000, offset: 10_800_000 }]);
  await schedule.trigger();
  const ran = await until(
    'the schedule has started a run',
    async () => (await schedule.describe()).info.recentActions,
    (actions) => actions.length > 0,
  );
  const run = ran[0]?.action.workflow;
  const handle = client.workflow.getHandle(run?.workflowId ?? '', run?.firstExecutionRunId);
  expect(await handle.result()).toEqual({
    parked_deliveries: 0,
    partitions: 0,
    late_webhook_rows: 0,
    rail_notifications: 2500,
    mails: 0,
    clicks: 0,
  });
  await recordHistory(handle, 'retention', 'all-steps');
  await schedule.delete();
});

it('a Schedule that left the table is removed; those of other installations and of operators stay', async () => {
  const { clients } = system.temporal;
  const client = clients.background;
  const queuePrefix = `${system.runtime.config.TEMPORAL_QUEUE_PREFIX}former-`;
  const create = (scheduleId: string, owner?: string) =>
    client.schedule.create({
      scheduleId,
      spec: {},
      action: { type: 'startWorkflow', workflowType: 'gone', taskQueue: 'none', args: [] },
      ...(owner === undefined ? {} : { memo: { owner } }),
    });
  const former = await create(`${queuePrefix}former`, `tributary ${queuePrefix}`);
  const others = [await create(`${queuePrefix}own`), await create(`${queuePrefix}other`, 'tributary other-')];
  await ensureSchedules(clients, { queuePrefix });
  const ids = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { scheduleId } of client.schedule.list()) {
      if (scheduleId.startsWith(queuePrefix)) found.push(scheduleId.slice(queuePrefix.length));
    }
    return found.sort();
  };
  // Lists follow changes after a moment.
  await until('eight schedules are listed', ids, (found) => found.length === 8);
  await removeFormerSchedules(clients, { queuePrefix });
  await expect(former.describe()).rejects.toThrow('not found');
  expect(await until('seven schedules are listed', ids, (found) => found.length === 7)).toEqual([
    'bank-folders',
    'commission-release',
    'digests',
    'other',
    'own',
    'reconciliation',
    'retention',
  ]);
  for (const other of others) await other.delete();
  for (const id of ['bank-folders', 'commission-release', 'reconciliation', 'retention'])
    await client.schedule.getHandle(queuePrefix + id).delete();
});
