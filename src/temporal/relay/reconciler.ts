import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import pMap from 'p-map';
import { after, SECOND_MS } from '../../platform/clock.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import type { UnfinishedWork, UnfinishedWorkSource } from '../../platform/outbox/unfinished-rows.ts';
import { type Clients, withDeadline, withLongDeadline } from '../client.ts';
import { createClosedSubjects } from '../closed-workflows.ts';
import { type FailingWorkflow, listFailing } from '../failing-workflows.ts';
import { routeOf, workflowIdOf } from './routing.ts';

export interface ReconcilerOptions {
  clients: Clients;
  sources: readonly UnfinishedWorkSource[];
  /** Prefix of workflow ids that other installations may use. */
  queuePrefix?: string;
  /** A new context for each transaction. */
  context(): Context;
  /** Younger work is left alone: its workflow may be about to start. */
  graceMs?: number;
  /** A workflow whose task fails for so long is replaced. */
  failingMs?: number;
}

export interface Reconciler {
  /** Returns how many workflows it requested again. Throws, and requests nothing more, while Temporal is unavailable. */
  round(): Promise<number>;
  /** Time since everything was last looked through from its beginning. */
  cycleMs(): number;
}

/** Any number that no other advisory lock of the database has. */
const LOCK = 7_201_998_004;
const PAGE = 100;
/** The next round continues where this one ended. */
const ROUND_MS = 15 * SECOND_MS;
const GRACE_MS = 15 * SECOND_MS;
const CONCURRENCY = 8;

/**
 * Starts the workflow again of everything that is unfinished and has no open one, for whatever reason it was lost. One that cannot
 * go on is terminated first: what it knew is in Postgres.
 */
export const createReconciler = ({
  clients,
  sources,
  context,
  queuePrefix = '',
  graceMs = GRACE_MS,
  failingMs,
}: ReconcilerOptions): Reconciler => {
  const cursors = new Map<UnfinishedWorkSource, string>();
  /** Where the next round begins: after the source that failed or used up the time, so that it does not hold up others. */
  let first = 0;
  let failing = new Map<string, FailingWorkflow>();
  const closedSubjects = createClosedSubjects(clients, queuePrefix);
  const passes = createPasses(sources);

  const reconcilePage = async (source: UnfinishedWorkSource, page: readonly UnfinishedWork[]): Promise<number> => {
    const expected = page.map((work) => expectedOf(work, { clients, queuePrefix }));
    for (const workflow of expected) {
      const found = failing.get(keyOf(workflow));
      if (found) await terminateFailing(workflow.client, found, context());
    }
    const lost = await findLost(expected, failing);
    if (lost.length === 0) return 0;
    await inTransaction(context(), async (ctx) => {
      for (const work of lost) await source.restart(ctx, work);
      ctx.log.warn({ source: source.name, ids: lost.map(({ id }) => id) }, 'workflows are missing and are started again');
    });
    return lost.length;
  };

  const listWork = (source: UnfinishedWorkSource, part: { after: string | null; ids?: string[] }) => {
    const ctx = context();
    return source.list(ctx, { ...part, before: after(ctx.clock.now(), -graceMs), limit: PAGE });
  };

  /** Finds what was just terminated immediately, however much is open. If it fails, the pass through the source finds it. */
  const reconcileClosed = async (): Promise<number> => {
    const ids = await closedSubjects(context().log);
    let restarted = 0;
    for (const source of ids.length === 0 ? [] : sources) {
      const restart = listWork(source, { after: null, ids }).then((page) => reconcilePage(source, page));
      restarted += await restart.catch(() => 0);
    }
    return restarted;
  };

  const reconcileSource = async (source: UnfinishedWorkSource, deadline: number): Promise<number> => {
    let restarted = 0;
    if (!cursors.has(source)) passes.begin(source);
    while (Date.now() < deadline) {
      const page = await listWork(source, { after: cursors.get(source) ?? null });
      restarted += await reconcilePage(source, page);
      const last = page.at(-1);
      if (last && page.length === PAGE) cursors.set(source, last.id);
      else {
        cursors.delete(source);
        passes.complete(source);
        break;
      }
    }
    return restarted;
  };

  return {
    round: () =>
      inTransaction(context(), async (ctx) => {
        // Held until the round ends, on a connection of its own: one process reconciles at a time.
        const held = await firstRow(
          ctx.em,
          sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as locked`,
        );
        if (!held?.locked) return 0;
        const deadline = Date.now() + ROUND_MS;
        const found = await findFailing(clients, { queuePrefix, failingMs, log: ctx.log });
        failing = new Map(found.map((workflow) => [`${workflow.namespace} ${workflow.workflowId}`, workflow]));
        let restarted = await reconcileClosed();
        for (const source of [...sources.slice(first), ...sources.slice(0, first)]) {
          if (Date.now() >= deadline) break;
          first = (sources.indexOf(source) + 1) % sources.length;
          restarted += await reconcileSource(source, deadline);
        }
        return restarted;
      }),
    cycleMs: passes.cycleMs,
  };
};

/** When the last complete pass through each source began. */
const createPasses = (sources: readonly UnfinishedWorkSource[]) => {
  const complete = new Map(sources.map((source) => [source, Date.now()]));
  const began = new Map(complete);
  return {
    begin: (source: UnfinishedWorkSource) => void began.set(source, Date.now()),
    complete: (source: UnfinishedWorkSource) => void complete.set(source, began.get(source) ?? Date.now()),
    cycleMs: () => Date.now() - Math.min(...complete.values()),
  };
};

/** None where the server cannot list them: what is missing is started again all the same. */
const findFailing = async (
  clients: Clients,
  { queuePrefix, failingMs, log }: { queuePrefix: string; failingMs: number | undefined; log: Context['log'] },
): Promise<FailingWorkflow[]> => {
  try {
    return await listFailing(clients, queuePrefix, failingMs);
  } catch (err) {
    log.warn({ err }, 'workflows that cannot go on are not listed');
    return [];
  }
};

/** Its next run begins with what is in Postgres. */
const terminateFailing = async (
  client: Client,
  { workflowId, runId, attempts }: FailingWorkflow,
  ctx: Context,
): Promise<void> => {
  ctx.log.error({ workflowId, runId, attempts }, 'workflow cannot go on and is replaced');
  const handle = client.workflow.getHandle(workflowId, runId);
  await withDeadline(client, () => handle.terminate(`replaced: its task failed ${attempts} times`)).catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
};

/** The workflow that should be open. */
interface ExpectedWorkflow {
  work: UnfinishedWork;
  /** Client of its namespace. */
  client: Client;
  workflowId: string;
}

const expectedOf = (
  work: UnfinishedWork,
  { clients, queuePrefix }: { clients: Clients; queuePrefix: string },
): ExpectedWorkflow => {
  const { message, openSuffix = message.suffix ?? '' } = work;
  const start = routeOf({ ...message, suffix: openSuffix });
  return { work, client: clients[start.namespace], workflowId: workflowIdOf(start, queuePrefix) };
};

const keyOf = ({ client, workflowId }: ExpectedWorkflow): string => `${client.options.namespace} ${workflowId}`;

type Failing = ReadonlyMap<string, FailingWorkflow>;

/** The work without an open workflow. What was failing is terminated by now, and may still be listed as open. */
const findLost = async (expected: readonly ExpectedWorkflow[], failing: Failing): Promise<UnfinishedWork[]> => {
  const byNamespace = Map.groupBy(expected, ({ client }) => client);
  const lost: UnfinishedWork[] = [];
  for (const [client, workflows] of byNamespace) lost.push(...(await findLostIn(client, workflows, failing)));
  return lost;
};

const findLostIn = async (client: Client, expected: readonly ExpectedWorkflow[], failing: Failing): Promise<UnfinishedWork[]> => {
  const open = await listOpen(
    client,
    expected.map(({ workflowId }) => workflowId),
  );
  const suspects = expected.filter((workflow) => failing.has(keyOf(workflow)) || !open.has(workflow.workflowId));
  // The list is eventually consistent; a description is not.
  const areOpen = await pMap(suspects, ({ workflowId }) => isOpen(client, workflowId), { concurrency: CONCURRENCY });
  return suspects.filter((_suspect, at) => !areOpen[at]).map(({ work }) => work);
};

const listOpen = (client: Client, ids: readonly string[]): Promise<Set<string>> =>
  withLongDeadline(client, async () => {
    const open = new Set<string>();
    const quoted = ids.map((id) => `"${id}"`).join(',');
    const query = `ExecutionStatus = "Running" and WorkflowId in (${quoted})`;
    for await (const { workflowId } of client.workflow.list({ query, pageSize: 1_000 })) open.add(workflowId);
    return open;
  });

const isOpen = async (client: Client, id: string): Promise<boolean> => {
  try {
    const { status } = await withDeadline(client, () => client.workflow.getHandle(id).describe());
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
