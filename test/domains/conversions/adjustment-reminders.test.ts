import { useTestApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { mailsAbout } from '../notifications/support.ts';

const api = useTestApi();
const HOUR = 3_600_000;

const settle = (hours: number) =>
  api.runtime.applyDueApprovals({
    ...api.runtime.context({ kind: 'system', name: 'approvals' }),
    clock: { now: () => new Date(Date.now() + hours * HOUR) },
  });

test('M2: an adjustment that waits is reminded of after 24 and 72 hours, once each, and never after a decision', async () => {
  const { adjust, decide } = await makeApprovals(api);
  const [waiting, decided] = [(await adjust(5_000, 'bonus')).data, (await adjust(6_000, 'bonus')).data];
  await decide(decided.id, 'approve');
  const periods = async (id: string) =>
    (await mailsAbout(api.runtime, id)).filter(({ kind }) => kind === 'adjustment_approval').map(({ period }) => period);
  await settle(23.9);
  expect(await periods(waiting.id)).toEqual(['0']);
  await Promise.all([settle(24.1), settle(24.1)]);
  expect(await periods(waiting.id)).toEqual(['0', '1']);
  await settle(72.1);
  await settle(167);
  expect(await periods(waiting.id)).toEqual(['0', '1', '2']);
  expect(await periods(decided.id)).toEqual(['0']);
  const [reminder] = (await mailsAbout(api.runtime, waiting.id)).filter(({ period }) => period === '2');
  expect(reminder?.subject).toContain('Adjustment awaiting your approval: 50.00 USD for ');
});
