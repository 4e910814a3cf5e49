import { approveIfDue, ensureSchedules } from '../../src/worker/schedules.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem();

it('the schedule approves commissions whose hold period has ended', async () => {
  const { key } = await makeMerchant(system.runtime);
  const program = await makeProgram(system, key, { commissionHoldDays: 1 });
  const { code } = await makeAffiliate(system.runtime, program.programId);
  const { data } = await sendSale(system, program, { referralCode: code });
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  await em.execute(`update conversion set release_at = now() - interval '1 second' where id = ?`, [data.conversionId]);
  const queuePrefix = system.runtime.config.TEMPORAL_QUEUE_PREFIX;
  const { clients } = system.temporal;
  const client = clients.background;
  await ensureSchedules(clients, { queuePrefix });
  await ensureSchedules(clients, { queuePrefix });
  const schedule = client.schedule.getHandle(`${queuePrefix}commission-release`);
  await schedule.trigger();
  const statusOf = async () => (await system.call('GET', '/conversions', { key })).data[0].status as string;
  expect(await until('the commission is approved', statusOf, (status) => status === 'approved')).toBe('approved');
  const ran = await until(
    'the schedule has started a run',
    async () => (await schedule.describe()).info.recentActions,
    (actions) => actions.length > 0,
  );
  const run = ran[0]?.action.workflow;
  const handle = client.workflow.getHandle(run?.workflowId ?? '', run?.firstExecutionRunId);
  expect(await handle.result()).toEqual({ released: 1 });
  await recordHistory(handle, 'commissionRelease', 'one-batch');
  await schedule.delete();
});

it('T5: a Schedule of an earlier version is updated; T3: nothing starts while nothing is due', async () => {
  const { clients } = system.temporal;
  const client = clients.background;
  const queuePrefix = `${system.runtime.config.TEMPORAL_QUEUE_PREFIX}old-`;
  const scheduleId = `${queuePrefix}commission-release`;
  const action = { type: 'startWorkflow', workflowType: 'commissionRelease', taskQueue: 'old', args: [] } as const;
  const schedule = await client.schedule.create({ scheduleId, spec: { intervals: [{ every: '1 hour' }] }, action });
  await ensureSchedules(clients, { queuePrefix });
  const { spec, action: updated } = await schedule.describe();
  expect(spec.intervals ?? []).toEqual([]);
  expect(updated).toMatchObject({ taskQueue: `${queuePrefix}workflows` });

  await approveIfDue(clients, { queuePrefix, isDue: async () => false });
  expect((await schedule.describe()).info.numActionsTaken).toBe(0);
  await approveIfDue(clients, { queuePrefix, isDue: async () => true });
  const taken = await until(
    'the schedule has started a run',
    async () => (await schedule.describe()).info.numActionsTaken,
    (count) => count > 0,
  );
  expect(taken).toBe(1);
  await schedule.delete();
});
