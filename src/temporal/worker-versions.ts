import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import pMap from 'p-map';
import { SECOND_MS } from '../platform/clock.ts';
import type { WorkflowRef } from '../platform/context.ts';
import { type Client, withDeadline, withLongDeadline } from './client.ts';

export interface WorkerVersions {
  namespace: string;
  /** Null: no version gets new work. */
  current: string | null;
  ramping: { buildId: string; percentage: number } | null;
  known: string[];
}

/** Takes Temporal longer than other calls: a change tells every task queue, and meanwhile nothing is read. */
const DEADLINE_MS = 30 * SECOND_MS;
const PAUSE_MS = 2 * SECOND_MS;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;
const FAILED_PRECONDITION = 9;
const MAX_TRIES = 5;

/** All roles share one, because they share the queue of workflows. */
export const deploymentOf = (queuePrefix: string): string => `${queuePrefix}tributary`;

/** As Temporal knows them. Before the first worker with a version polls, it knows none. */
export const readVersions = async (client: Client, queuePrefix: string): Promise<WorkerVersions> => {
  const { namespace } = client.options;
  const deploymentName = deploymentOf(queuePrefix);
  const found = await describeDeployment(client, { namespace, deploymentName });
  const routing = found?.workerDeploymentInfo?.routingConfig;
  const ramping = routing?.rampingDeploymentVersion?.buildId;
  return {
    namespace,
    current: routing?.currentDeploymentVersion?.buildId || null,
    ramping: ramping ? { buildId: ramping, percentage: routing?.rampingVersionPercentage ?? 0 } : null,
    known: (found?.workerDeploymentInfo?.versionSummaries ?? []).map(({ deploymentVersion }) => deploymentVersion?.buildId ?? ''),
  };
};

const codeOf = (error: unknown): number | null => (isGrpcServiceError(error) ? error.code : null);

/** Temporal refuses to answer, or is late, while many workers register at once. Only for calls that change nothing the second time. */
const repeated = async <T>(client: Client, call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.connection.withDeadline(Date.now() + DEADLINE_MS, call);
    } catch (error) {
      const code = codeOf(error);
      if ((code !== RESOURCE_EXHAUSTED && code !== DEADLINE_EXCEEDED) || attempt === MAX_TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
};

const describeDeployment = async (client: Client, request: { namespace: string; deploymentName: string }) => {
  try {
    return await repeated(client, () => client.workflowService.describeWorkerDeployment(request));
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return null;
    throw error;
  }
};

export interface VersionChange {
  buildId: string;
  queuePrefix: string;
  /** How long workers of the version may take until they poll all queues. */
  waitMs: number;
}

/** New work goes to this version from now on, and workflows that are not pinned move to it. Repeating it changes nothing. */
export const setCurrentVersion = (client: Client, change: VersionChange): Promise<void> =>
  whenPolled(client, change, (target) => client.workflowService.setWorkerDeploymentCurrentVersion(target));

/** So many percent of the workflows that start or are not pinned go to this version; 0 ends it. */
export const setRampingVersion = (client: Client, change: VersionChange & { percentage: number }): Promise<void> =>
  whenPolled(client, change, (target) =>
    client.workflowService.setWorkerDeploymentRampingVersion({ ...target, percentage: change.percentage }),
  );

/**
 * No version gets new work: it goes to workers without one. For a build from before versioning; with workers of a version only,
 * new work waits. Repeating it changes nothing.
 */
export const unsetCurrentVersion = async (client: Client, queuePrefix: string): Promise<void> => {
  const { current, ramping, namespace } = await readVersions(client, queuePrefix);
  const target = { namespace, deploymentName: deploymentOf(queuePrefix), buildId: '', ignoreMissingTaskQueues: true };
  const { workflowService } = client;
  if (ramping) await repeated(client, () => workflowService.setWorkerDeploymentRampingVersion({ ...target, percentage: 0 }));
  if (current !== null) await repeated(client, () => workflowService.setWorkerDeploymentCurrentVersion(target));
};

const REPEATED: readonly number[] = [DEADLINE_EXCEEDED, NOT_FOUND, RESOURCE_EXHAUSTED, FAILED_PRECONDITION];

interface Target {
  namespace: string;
  deploymentName: string;
  buildId: string;
}

/** Temporal refuses a version whose workers do not poll yet, or leave out a queue that the current one serves, and may be late with an answer. */
const whenPolled = async (
  client: Client,
  { buildId, queuePrefix, waitMs }: VersionChange,
  call: (target: Target) => Promise<unknown>,
): Promise<void> => {
  const target = { namespace: client.options.namespace, deploymentName: deploymentOf(queuePrefix), buildId };
  for (const end = Date.now() + waitMs; ; ) {
    try {
      await client.connection.withDeadline(Date.now() + DEADLINE_MS, () => call(target));
      return;
    } catch (error) {
      if (!isGrpcServiceError(error) || !REPEATED.includes(error.code)) throw error;
      if (Date.now() + PAUSE_MS > end) {
        if (error.code === DEADLINE_EXCEEDED) throw error;
        throw new Error(
          `the workers of version ${buildId} do not poll every queue of namespace ${target.namespace}: start each role with TEMPORAL_VERSIONING=true (${error.details})`,
        );
      }
      await sleep(PAUSE_MS);
    }
  }
};

const MAX_PINNED = 1_000;
const CONCURRENCY = 8;

/**
 * Open workflows that are pinned to another version move to the current one, for an installation that replaces its workers in place:
 * theirs are gone. The release gate must have replayed them. They are listed with a delay, so they are looked for until twice none is left.
 * Returns how many moved.
 */
export const movePinned = async (client: Client, { buildId, queuePrefix, waitMs }: VersionChange): Promise<number> => {
  const deployment = deploymentOf(queuePrefix);
  const query = `ExecutionStatus = "Running" and TemporalWorkflowVersioningBehavior = "Pinned" and TemporalWorkerDeployment = "${deployment}" and TemporalWorkerDeploymentVersion != "${deployment}:${buildId}"`;
  const moved = new Set<string>();
  let quiet = 0;
  for (const end = Date.now() + waitMs; quiet < 2; ) {
    const pinned = await listRuns(client, query);
    quiet = pinned.length === 0 ? quiet + 1 : 0;
    await pMap(pinned, (execution) => unpin(client, execution), { concurrency: CONCURRENCY });
    for (const { runId } of pinned) moved.add(runId);
    if (quiet === 0 && Date.now() > end)
      throw new Error(`workflows are still pinned to other versions in namespace ${client.options.namespace}: run this again`);
    if (pinned.length < MAX_PINNED && quiet < 2) await sleep(PAUSE_MS);
  }
  return moved.size;
};

const listRuns = (client: Client, query: string): Promise<WorkflowRef[]> =>
  withLongDeadline(client, async () => {
    const found: WorkflowRef[] = [];
    for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: MAX_PINNED })) {
      if (found.push({ workflowId, runId }) === MAX_PINNED) break;
    }
    return found;
  });

const unpin = async (client: Client, workflowExecution: WorkflowRef): Promise<void> => {
  try {
    await withDeadline(client, () =>
      client.workflowService.updateWorkflowExecutionOptions({
        namespace: client.options.namespace,
        workflowExecution,
        workflowExecutionOptions: { versioningOverride: { autoUpgrade: true } },
        updateMask: { paths: ['versioning_override'] },
      }),
    );
  } catch (error) {
    // It ended meanwhile.
    if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
  }
};
