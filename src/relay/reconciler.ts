import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import pMap from 'p-map';
import { after, SECOND_MS } from '../platform/clock.ts';
import { type Context, inTransaction } from '../platform/context.ts';
import { firstRow, sql } from '../platform/database/sql.ts';
import type { UnfinishedWork, UnfinishedWorkSource } from '../platform/outbox/unfinished-rows.ts';
import { type FailingWorkflow, listFailing } from './failing-workflows.ts';
import { routeOf, workflowIdOf } from './routing.ts';
import { type Clients, withDeadline } from './temporal-client.ts';

export interface ReconcilerOptions {
  clients: Clients;
  sources: readonly UnfinishedWorkSource[];
  /** Of workflow ids that other installations may use. */
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
}

/** Any number that no other advisory lock of the database has. */
const LOCK = 7_201_998_004;
const PAGE = 100;
/** Per source and round; the next round continues where this one ended. */
const MAX_PAGES = 40;
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
  /** Where the next round begins: after the source that failed or used up the time, so that it holds up no other. */
  let first = 0;

  let failing = new Map<string, FailingWorkflow>();

  /** None where the server cannot list them: what is missing is started again all the same. */
  const findFailing = async (): Promise<FailingWorkflow[]> => {
    try {
      return await listFailing(clients, queuePrefix, failingMs);
    } catch (err) {
      context().log.warn({ err }, 'workflows that cannot go on are not listed');
      return [];
    }
  };

  const reconcilePage = async (source: UnfinishedWorkSource, page: readonly UnfinishedWork[]): Promise<number> => {
    const expected = page.map((work) => expectedOf(work, { clients, queuePrefix }));
    for (const workflow of expected) {
      const found = failing.get(keyOf(workflow));
      if (found) await terminateFailing(found, context());
    }
    const lost: UnfinishedWork[] = [];
    for (const [client, group] of Map.groupBy(expected, (workflow) => workflow.client))
      lost.push(...(await findLost(client, group)));
    if (lost.length === 0) return 0;
    await inTransaction(context(), async (ctx) => {
      for (const work of lost) await source.restart(ctx, work);
      ctx.log.warn({ source: source.name, ids: lost.map(({ id }) => id) }, 'workflows are missing and are started again');
    });
    return lost.length;
  };

  const reconcileSource = async (source: UnfinishedWorkSource, deadline: number): Promise<number> => {
    let restarted = 0;
    for (let pages = 0; pages < MAX_PAGES && Date.now() < deadline; pages++) {
      const ctx = context();
      const before = after(ctx.clock.now(), -graceMs);
      const page = await source.list(ctx, { after: cursors.get(source) ?? null, before, limit: PAGE });
      restarted += await reconcilePage(source, page);
      const last = page.at(-1);
      if (last && page.length === PAGE) cursors.set(source, last.id);
      else {
        cursors.delete(source);
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
        const found = await findFailing();
        failing = new Map(found.map((workflow) => [keyOf(workflow), workflow]));
        let restarted = 0;
        for (const source of [...sources.slice(first), ...sources.slice(0, first)]) {
          if (Date.now() >= deadline) break;
          first = (sources.indexOf(source) + 1) % sources.length;
          restarted += await reconcileSource(source, deadline);
        }
        return restarted;
      }),
  };
};

/** Its next run begins with what is in Postgres. */
const terminateFailing = async ({ client, workflowId, runId, attempts }: FailingWorkflow, ctx: Context): Promise<void> => {
  ctx.log.error({ workflowId, runId, attempts }, 'workflow cannot go on and is replaced');
  const handle = client.workflow.getHandle(workflowId, runId);
  await withDeadline(client, () => handle.terminate(`replaced: its task failed ${attempts} times`)).catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  });
};

/** The workflow that should be open. */
interface ExpectedWorkflow {
  work: UnfinishedWork;
  /** Of its namespace. */
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

const keyOf = ({ client, workflowId }: Pick<ExpectedWorkflow, 'client' | 'workflowId'>): string =>
  `${client.options.namespace} ${workflowId}`;

/** The work without an open workflow. */
const findLost = async (client: Client, expected: readonly ExpectedWorkflow[]): Promise<UnfinishedWork[]> => {
  const open = await listOpen(
    client,
    expected.map(({ workflowId }) => workflowId),
  );
  const suspects = expected.filter(({ workflowId }) => !open.has(workflowId));
  // The list is eventually consistent; a description is not.
  const areOpen = await pMap(suspects, ({ workflowId }) => isOpen(client, workflowId), { concurrency: CONCURRENCY });
  return suspects.filter((_suspect, at) => !areOpen[at]).map(({ work }) => work);
};

const listOpen = (client: Client, ids: readonly string[]): Promise<Set<string>> =>
  withDeadline(client, async () => {
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
