import type { FlagDeadlineAction } from '../../src/contracts/flags.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { makePayable } from '../support/factories.ts';
import { flagActions, raise } from '../support/flags.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { pause, until } from '../support/until.ts';
import { seededRandom } from './support/seeded-random.ts';

const SEQUENCES = 10;
const STEPS = 6;
const system = useTestSystem({
  env: { RAIL_PAYPAL: 'manual' },
  reconcile: { everyMs: 200, graceMs: 100 },
  flagTiming: { remindAfterMs: [100], recheckMs: 50, recheckMaxMs: 200 },
});

/** What happens to one flag, in random order, until a person or its deadline decides. */
const run = async (seed: number): Promise<void> => {
  const random = seededRandom(seed);
  const own = await makePayable(system);
  const action = (['keep_open', 'confirm', 'dismiss'] as const)[random.integer(3)] as FlagDeadlineAction;
  await system.call('PATCH', '/merchant', { key: own.key, body: { flagDeadlineAction: action } });
  const { flagId } = await raise(system, own, { ageMs: 14 * DAY_MS - 500 - random.integer(3_000) });
  const workflow = system.temporal.clients.finance.workflow.getHandle(`flag/${flagId}`);
  const { conversion, balance } = flagActions(system, own, flagId);
  const steps = [
    () => raise(system, own, { ageMs: 14 * DAY_MS - 1_000 }),
    () => workflow.terminate('by an operator').catch(() => {}),
    () => workflow.cancel().catch(() => {}),
    () => pause(300, 'the deadline comes closer'),
    () => system.call('POST', `/affiliates/${own.affiliateId}/block`, { key: own.key, body: {} }),
    () => system.call('POST', `/affiliates/${own.affiliateId}/unblock`, { key: own.key }),
  ];
  for (let n = 0; n < STEPS; n++) await steps[random.integer(steps.length)]?.();
  await system.call('POST', `/affiliates/${own.affiliateId}/unblock`, { key: own.key });
  // Evidence after the deadline opens another flag.
  const { data: flags } = await system.call('GET', '/flags', { key: own.key, query: { affiliateId: own.affiliateId } });
  const body = { status: random.integer(2) === 0 ? 'confirmed' : 'dismissed' };
  for (const { id } of flags) await system.call('POST', `/flags/${id}/resolve`, { key: own.key, body });
  const held = `select id from flag where affiliate_id = ? and (status = 'open' or hold_ended_at is null)`;
  expect(await rowsOf(system, held, [own.affiliateId])).toEqual([]);
  const statuses = (await rowsOf(system, 'select status from flag where affiliate_id = ?', [own.affiliateId])).map(
    ({ status }) => status,
  );
  const expected = statuses.includes('confirmed')
    ? { status: 'rejected', commission: 0 }
    : { status: 'approved', commission: 2_000 };
  expect({ seed, ...(await conversion()) }).toMatchObject({ seed, ...expected });
  expect(await balance()).toMatchObject({ pending: 0, payable: expected.commission, inPayout: 0, paid: 0 });
  // The relay may start the workflow only after the flag was resolved.
  const closed = await until(
    'the workflow of the flag has ended',
    () => workflow.describe().catch(() => null),
    (described) => described !== null && described.status.name !== 'RUNNING',
  );
  // One that was terminated after the last decision has nothing left to do.
  if (closed?.status.name !== 'TERMINATED') expect(await workflow.result()).toMatchObject({ flagId });
};

it(`C4: ${SEQUENCES} sequences of evidence, decisions, deadlines, terminations and cancellations end as the database says`, async () => {
  const seed = Date.now() % 1_000_000;
  await Promise.all(Array.from({ length: SEQUENCES }, (_, n) => run(seed + n)));
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});
