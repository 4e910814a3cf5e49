import type { ApplicationReviewResult } from '../../src/contracts/workflows/application-review.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { makeApplication, type TestApplication } from '../support/applications.ts';
import { makeAffiliateKey } from '../support/factories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem({
  applicationTiming: { remindAfterMs: [400, 800], expireAfterMs: 40_000 },
  reconcile: { everyMs: 200, graceMs: 0 },
});

const workflowOf = ({ applicationId }: TestApplication) =>
  system.temporal.clients.finance.workflow.getHandle<() => Promise<ApplicationReviewResult>>(`application/${applicationId}`);

const isOpen = async (application: TestApplication): Promise<boolean> => {
  const described = await workflowOf(application)
    .describe()
    .catch(() => null);
  return described?.status.name === 'RUNNING';
};

type Move = (application: TestApplication) => Promise<unknown>;

const review =
  (verb: string): Move =>
  ({ applicationId, key }) =>
    system.call('POST', `/applications/${applicationId}/${verb}`, { key });

/** What people and operators do, each by its name. */
const MOVES = {
  approve: review('approve'),
  decline: review('decline'),
  block: review('block'),
  withdraw: async ({ applicationId, profileId }) => {
    const key = await makeAffiliateKey(system.runtime, profileId);
    return system.call('POST', `/me/applications/${applicationId}/withdraw`, { key });
  },
  started: (application) => until('the review of the application has started', () => isOpen(application)),
  reminded: (application) =>
    until(
      'the merchant is reminded of the application',
      () =>
        firstRow(
          system.runtime.context({ kind: 'system', name: 'test' }).em,
          sql<{ reminders: number }>`select reminders from application where id = ${application.applicationId}::uuid`,
        ),
      (row) => (row?.reminders ?? 0) > 0,
    ),
  cancel: (application) => workflowOf(application).cancel(),
  terminate: (application) => workflowOf(application).terminate('by an operator'),
} satisfies Record<string, Move>;

type Name = keyof typeof MOVES;

/** The moves one after the other, and the status that the application and its workflow have at the end. */
const SEQUENCES: [Name[], string][] = [
  [['approve'], 'approved'],
  [['started', 'approve'], 'approved'],
  [['started', 'reminded', 'approve', 'withdraw'], 'approved'],
  [['started', 'cancel', 'reminded', 'decline', 'approve'], 'declined'],
  [['started', 'terminate', 'approve'], 'approved'],
  [['started', 'terminate', 'started', 'reminded', 'withdraw', 'block'], 'withdrawn'],
  [['withdraw', 'approve'], 'withdrawn'],
  [['started', 'block', 'decline'], 'blocked'],
  [['started', 'cancel', 'terminate', 'started'], 'expired'],
  [['started', 'reminded'], 'expired'],
];

/** The status in the database, and what became of the workflow. */
const play = async (moves: readonly Name[], expected: string) => {
  const application = await makeApplication(system);
  for (const move of moves) await MOVES[move](application);
  const status = expected === 'expired' ? 'declined' : expected;
  const read = () => system.call('GET', `/applications/${application.applicationId}`, { key: application.key });
  await until(`the application is ${status}`, read, ({ data }) => data.status === status);
  const closed = await until(
    'the workflow of the application has ended',
    () =>
      workflowOf(application)
        .describe()
        .catch(() => null),
    (described) => described !== null && described.status.name !== 'RUNNING',
  );
  // A decision right after the termination leaves nothing to start again.
  if (closed?.status.name === 'TERMINATED' && moves.includes('terminate')) return [moves, expected];
  const result = await workflowOf(application).result();
  return [moves, result.expired ? 'expired' : result.status];
};

it('ten sequences of decisions, reminders, cancellations and terminations end alike in the database and in Temporal', async () => {
  expect(await Promise.all(SEQUENCES.map(([moves, expected]) => play(moves, expected)))).toEqual(SEQUENCES);
});
