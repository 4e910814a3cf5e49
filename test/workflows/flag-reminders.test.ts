import { makeFlag } from '../support/flags.ts';
import { recordHistory } from '../support/histories.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem({
  env: { RAIL_PAYPAL: 'manual' },
  flagTiming: { remindAfterMs: [200, 400], recheckMs: 50, recheckMaxMs: 100 },
});

it('W4: the merchant is reminded twice, each once', async () => {
  const { flagId, resolve } = await makeFlag(system);
  await until(
    'the merchant is reminded twice',
    async () => (await rowsOf(system, 'select reminders from flag where id = ?', [flagId]))[0]?.['reminders'],
    (reminders) => reminders === 2,
  );
  await resolve('reviewed');
  const workflow = system.temporal.clients.finance.workflow.getHandle(`flag/${flagId}`);
  expect(await workflow.result()).toMatchObject({ status: 'reviewed' });
  await recordHistory(workflow, 'flagReview', 'reminders');
});

it('W4: of reminders that became due while nothing ran, only the last one is sent', async () => {
  const { flagId, resolve } = await makeFlag(system, { ageMs: 60_000 });
  await until(
    'the second reminder is recorded',
    async () => (await rowsOf(system, 'select reminders from flag where id = ?', [flagId]))[0]?.['reminders'],
    (reminders) => reminders === 2,
  );
  await resolve('dismissed');
  await system.temporal.clients.finance.workflow.getHandle(`flag/${flagId}`).result();
  const mails = await rowsOf(system, `select period from mail where kind = 'flag_reminder' and subject_id = ?`, [flagId]);
  expect(mails).toEqual([{ period: '2' }]);
});
