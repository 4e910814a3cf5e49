import { ensureSchedules } from '../../src/worker/schedules.ts';
import { makePayable } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem();

it('the Schedule writes the mails about activity of the hours that are over, once, and they are sent', async () => {
  const { clients } = system.temporal;
  const client = clients.background;
  const queuePrefix = system.runtime.config.TEMPORAL_QUEUE_PREFIX;
  await ensureSchedules(clients, { queuePrefix });
  const { merchantId } = await makePayable(system);
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  await em.execute(
    `insert into mail_progress (name, done_until) values ('activity', date_trunc('hour', now()) - interval '3 hours')
      on conflict (name) do update set done_until = excluded.done_until`,
  );
  await em.execute(`update conversion set created_at = now() - interval '2 hours' where merchant_id = ?`, [merchantId]);
  const schedule = client.schedule.getHandle(`${queuePrefix}digests`);
  expect((await schedule.describe()).spec.intervals).toEqual([expect.objectContaining({ every: 900_000 })]);
  const run = async (count: number) => {
    await schedule.trigger();
    const ran = await until(
      `the schedule has started ${count} runs`,
      async () => (await schedule.describe()).info.recentActions,
      (actions) => actions.length >= count,
    );
    const { workflowId = '', firstExecutionRunId } = ran.at(-1)?.action.workflow ?? {};
    const handle = client.workflow.getHandle(workflowId, firstExecutionRunId);
    return { handle, result: await handle.result() };
  };
  const first = await run(1);
  expect(first.result).toEqual({ activityMails: 1, weeklyDigests: 0, waitingPayoutMails: 0 });
  await recordHistory(first.handle, 'digests', 'with-waiting-payouts');
  expect((await run(2)).result).toMatchObject({ activityMails: 0 });
  const sent = async () => {
    const [row] = await em.execute(`select status from mail where subject_id = ? and kind = 'merchant_activity'`, [merchantId]);
    return row?.status as string;
  };
  expect(await until('the mail is sent', sent, (status) => status === 'sent')).toBe('sent');
  await schedule.delete();
});
