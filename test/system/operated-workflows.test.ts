import type { WorkflowHandle } from '@temporalio/client';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { makeApplication } from '../support/applications.ts';
import { makeFlag } from '../support/flags.ts';
import { OPERATIONS, operate } from '../support/operate.ts';
import { paidPayouts } from '../support/paid-payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem({ reconcile: { everyMs: 500, graceMs: 0 } });
const { byHand, bySandbox, contradict } = paidPayouts(system);
const context = () => system.runtime.context({ kind: 'system', name: 'test' });
const finance = () => system.temporal.clients.finance;

interface Case {
  id: string;
  decide(): Promise<unknown>;
  /** How often it was decided, and how. */
  outcome(): Promise<unknown>;
}

const rowOf = async (statement: string, id: string): Promise<unknown> => (await context().em.execute(statement, [id]))[0];

const flag = async (): Promise<Case> => {
  const { flagId, resolve } = await makeFlag(system);
  const statement = `select status, (select count(*)::int from audit_log where resource_id = f.id and action = 'flag.resolved') as times
    from flag f where id = ?`;
  const outcome = () => rowOf(statement, flagId);
  return { id: `flag/${flagId}`, decide: () => resolve('dismissed'), outcome };
};

const application = async (): Promise<Case> => {
  const { applicationId, affiliateId, key } = await makeApplication(system);
  const decide = async () =>
    expect((await system.call('POST', `/applications/${applicationId}/approve`, { key, body: {} })).status).toBe(200);
  const statement = `select status, (select count(*)::int from audit_log where resource_id = a.id and action = 'application.decided') as times
    from application a where id = ?`;
  expect(affiliateId).toBeDefined();
  return {
    id: `application/${applicationId}`,
    decide,
    outcome: () => rowOf(statement, applicationId),
  };
};

/** The reconciler starts its workflow. */
const contradiction = async (): Promise<Case> => {
  const { payoutId, act } = await byHand(['process', 'complete']);
  await contradict(payoutId, 'paid', 'failed');
  const decide = async () => expect((await act('resolve', { outcome: 'paid', note: 'The bank told us' })).status).toBe(200);
  const statement = `select p.status, (select count(*)::int from payout_contradiction where payout_id = p.id and resolved_at is not null) as times
    from payout p where id = ?`;
  const outcome = () => rowOf(statement, payoutId);
  return { id: `payout/${payoutId}/contradiction/1`, decide, outcome };
};

/** The provider does not confirm that the money came back; a person has evidence. */
const correction = async (): Promise<Case> => {
  const { payoutId, ends, act } = await bySandbox('ok');
  await ends('completed');
  expect((await act('return', { note: 'The bank says so' })).status).toBe(200);
  const decide = async () =>
    expect((await act('return', { note: 'The bank says so', evidence: 'Statement 7' })).status).toBe(200);
  const statement = `select status, (select count(*)::int from payout_correction where payout_id = p.id and status = 'booked') as times
    from payout p where id = ?`;
  const outcome = () => rowOf(statement, payoutId);
  return { id: `payout/${payoutId}/correction/1`, decide, outcome };
};

const CASES = Object.entries({
  flag: [flag, 'dismissed'],
  application: [application, 'approved'],
  contradiction: [contradiction, 'completed'],
  correction: [correction, 'failed'],
} as const);

it.each(CASES.flatMap(([name, [make, status]]) => OPERATIONS.map((operation) => ({ name, make, status, operation }))))(
  'FI11: a $name whose workflow is $operation is decided once',
  async ({ make, status, operation }) => {
    const { id, decide, outcome } = await make();
    const handle = finance().workflow.getHandle(id);
    await until(
      'the workflow has decided what it waits for',
      async () => (await handle.fetchHistory().catch(() => null))?.events?.length ?? 0,
      (length) => length > 6,
    );
    const before = await runIdOf(handle);
    const copy = await operate(finance(), id, operation);
    if (operation === 'terminated')
      await until(
        'a new run has started',
        () => runIdOf(handle),
        (runId) => runId !== before,
      );
    await decide();
    await until(
      'the workflow is completed',
      async () => (await handle.describe()).status.name,
      (seen) => seen === 'COMPLETED',
    );
    expect(await outcome()).toEqual({ status, times: 1 });
    expect(await verifyLedger(context())).toEqual([]);
    if (copy) expect(await copy.result()).toMatchObject({ status: 'superseded' });
  },
);

const runIdOf = async (handle: WorkflowHandle): Promise<string> => (await handle.describe()).runId;
