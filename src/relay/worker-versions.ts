import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import { SECOND_MS } from '../platform/clock.ts';
import { type Client, withDeadline } from './temporal-client.ts';

export interface WorkerVersions {
  namespace: string;
  /** Null: no version gets new work. */
  current: string | null;
  ramping: { buildId: string; percentage: number } | null;
  known: string[];
}

/** The change takes Temporal longer than other calls: it tells every task queue. */
const CHANGE_DEADLINE_MS = 10 * SECOND_MS;
const PAUSE_MS = 2 * SECOND_MS;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

/** All roles share one, because they share the queue of workflows. */
export const deploymentOf = (queuePrefix: string): string => `${queuePrefix}tributary`;

/** As Temporal knows them. Before the first worker with a version polls, it knows none. */
export const readVersions = async (client: Client, queuePrefix: string): Promise<WorkerVersions> => {
  const { namespace } = client.options;
  const deploymentName = deploymentOf(queuePrefix);
  const found = await withDeadline(client, () =>
    client.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
  ).catch((error: unknown) => {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return null;
    throw error;
  });
  const routing = found?.workerDeploymentInfo?.routingConfig;
  const ramping = routing?.rampingDeploymentVersion?.buildId;
  return {
    namespace,
    current: routing?.currentDeploymentVersion?.buildId || null,
    ramping: ramping ? { buildId: ramping, percentage: routing?.rampingVersionPercentage ?? 0 } : null,
    known: (found?.workerDeploymentInfo?.versionSummaries ?? []).map(({ deploymentVersion }) => deploymentVersion?.buildId ?? ''),
  };
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

interface Target {
  namespace: string;
  deploymentName: string;
  buildId: string;
}

/** Temporal refuses a version whose workers do not poll yet, or leave out a queue that the current one serves. */
const whenPolled = async (
  client: Client,
  { buildId, queuePrefix, waitMs }: VersionChange,
  call: (target: Target) => Promise<unknown>,
): Promise<void> => {
  const target = { namespace: client.options.namespace, deploymentName: deploymentOf(queuePrefix), buildId };
  for (const end = Date.now() + waitMs; ; ) {
    try {
      await client.connection.withDeadline(Date.now() + CHANGE_DEADLINE_MS, () => call(target));
      return;
    } catch (error) {
      if (!isGrpcServiceError(error) || ![NOT_FOUND, FAILED_PRECONDITION].includes(error.code)) throw error;
      if (Date.now() + PAUSE_MS > end)
        throw new Error(
          `the workers of version ${buildId} do not poll every queue of namespace ${target.namespace}: start each role with TEMPORAL_VERSIONING=true (${error.details})`,
        );
      await sleep(PAUSE_MS);
    }
  }
};
