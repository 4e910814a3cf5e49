import type { WorkflowHandle } from '@temporalio/client';
import { makeApplication } from '../support/applications.ts';
import { unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { paidPayouts } from '../support/paid-payouts.ts';
import { until, useTestSystem } from '../support/system.ts';

const system = useTestSystem({ reconcile: { everyMs: 500, graceMs: 0 } });
const { byHand, contradict } = paidPayouts(system);
const context = () => system.runtime.context({ kind: 'system', name: 'test' });
const finance = () => system.temporal.clients.finance;

interface Case {
  id: string;
  type: string;
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
  return { id: `flag/${flagId}`, type: 'flagReview', decide: () => resolve('dismissed'), outcome };
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
    type: 'applicationReview',
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
  return { id: `payout/${payoutId}/contradiction/1`, type: 'payoutContradiction', decide, outcome };
};

const runIdOf = async (handle: WorkflowHandle): Promise<string> => (await handle.describe()).runId;

const ACTIONS: Readonly<Record<string, (handle: WorkflowHandle, type: string) => Promise<WorkflowHandle | null>>> = {
  terminated: async (handle) => {
    const before = await runIdOf(handle);
    await handle.terminate('by an operator');
    await until(
      () => runIdOf(handle),
      (runId) => runId !== before,
      60_000,
    );
    return null;
  },
  cancelled: async (handle) => {
    await handle.cancel();
    return null;
  },
  reset: async (handle) => {
    const { events } = await handle.fetchHistory();
    const task = events?.find(({ workflowTaskCompletedEventAttributes: completed }) => completed);
    const client = finance();
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId: handle.workflowId, runId: await runIdOf(handle) },
      reason: 'test',
      workflowTaskFinishEventId: task?.eventId ?? null,
      requestId: unique(),
    });
    return null;
  },
  copied: async (handle, type) => {
    const started = (await handle.fetchHistory()).events?.[0]?.workflowExecutionStartedEventAttributes;
    const input: unknown = JSON.parse(Buffer.from(started?.input?.payloads?.[0]?.data ?? []).toString('utf8'));
    const { taskQueue } = await handle.describe();
    return finance().workflow.start(type, { workflowId: `copy-${unique()}`, taskQueue, args: [input] });
  },
};

const CASES = Object.entries({
  flag: [flag, 'dismissed'],
  application: [application, 'approved'],
  contradiction: [contradiction, 'completed'],
} as const);

it.each(CASES.flatMap(([name, [make, status]]) => Object.keys(ACTIONS).map((action) => ({ name, make, status, action }))))(
  'FI11: a $name whose workflow is $action is decided once',
  async ({ make, status, action }) => {
    const { id, type, decide, outcome } = await make();
    const handle = finance().workflow.getHandle(id);
    await until(
      async () => (await handle.fetchHistory().catch(() => null))?.events?.length ?? 0,
      (length) => length > 6,
      60_000,
    );
    const copy = await ACTIONS[action]?.(handle, type);
    await decide();
    await until(
      async () => (await handle.describe()).status.name,
      (seen) => seen === 'COMPLETED',
      60_000,
    );
    expect(await outcome()).toEqual({ status, times: 1 });
    // A copy is not told of the decision: it reads it at its next look, and changes nothing.
    await copy?.terminate('end of the test').catch(() => {});
  },
  120_000,
);
