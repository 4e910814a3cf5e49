import { SEARCH_ATTRIBUTES } from '../../contracts/workflows/descriptor.ts';
import { ALL_WORKFLOWS } from '../../contracts/workflows/index.ts';
import { type Queue, ROLE_QUEUES } from '../../contracts/workflows/queues.ts';
import { webhookLane } from '../../contracts/workflows/webhook-lane.ts';
import { findLaneCount } from '../../domains/webhooks/index.ts';
import { DAY_MS, SECOND_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { type Client, type Clients, distinctClients, type TemporalClient, withDeadline } from '../../temporal/client.ts';
import { listFailing } from '../../temporal/failing-workflows.ts';
import { readVersions } from '../../temporal/worker-versions.ts';
import { BUDGETS } from '../audit.ts';
import { countWorkers, listWorkflowStatuses } from '../temporal-queries.ts';
import { listNeedless } from '../workflows.ts';
import { type Check, fail, ok, warn } from './check.ts';

const DAY_SECONDS = DAY_MS / SECOND_MS;

const scheduleCheck = (client: Client, prefix: string, id: string): Check => ({
  name: `schedule ${id}`,
  advice: 'Check the namespace and its permissions',
  async run() {
    try {
      const { state } = await withDeadline(client, () => client.schedule.getHandle(prefix + id).describe());
      return state.paused ? warn('paused: resume it in the Temporal UI') : ok('exists');
    } catch (error) {
      if (error instanceof Error && error.name === 'ScheduleNotFoundError')
        return fail('missing: start a worker, which creates it');
      throw error;
    }
  },
});

const roleCheck = (clients: Clients, prefix: string, role: string, queues: readonly Queue[]): Check => ({
  name: `role ${role}`,
  advice: 'Check the namespace and its permissions',
  async run() {
    const polled: string[] = [];
    for (const queue of queues) {
      const workers = await countWorkers(clients, prefix, queue);
      if (workers === 0) return fail(`no worker polls the task queue ${prefix}${queue}: start one with WORKER_ROLES=${role}`);
      polled.push(`${workers} ${workers === 1 ? 'worker polls' : 'workers poll'} the task queue ${prefix}${queue}`);
    }
    return ok(polled.join(', '));
  },
});

const lanesCheck = (clients: Clients, prefix: string, ctx: Context): Check => ({
  name: 'webhook lanes',
  advice: 'Start a worker, which starts missing lanes within a minute',
  async run() {
    const lanes = await findLaneCount(ctx);
    const ids = Array.from({ length: lanes }, (_, lane) => ({ type: webhookLane.type, id: prefix + webhookLane.id(lane) }));
    const statuses = [...(await listWorkflowStatuses(clients, ids)).values()];
    const running = statuses.filter((status) => status === 'RUNNING').length;
    if (running === lanes) return ok(`${running} of ${lanes} are running`);
    return fail(`${running} of ${lanes} are running: the webhooks of the others wait`);
  },
});

const failingCheck = (clients: Clients, prefix: string): Check => ({
  name: 'workflows',
  advice: 'Check the namespace and its permissions',
  async run() {
    const [first, ...others] = await listFailing(clients, prefix);
    if (!first) return ok('none is stuck');
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return fail(`${first.workflowId}${more} cannot go on. See "A workflow is stuck" in docs/runbook.md`);
  },
});

const endedCheck = (clients: Clients, ctx: Context): Check => ({
  name: 'ended work',
  advice: 'Check the namespace and its permissions',
  async run() {
    const [first, ...others] = await listNeedless({ ctx, temporal: clients, budgets: BUDGETS });
    if (!first) return ok('no workflow runs for what has ended');
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    return fail(`${first.subject} is ${first.detail}${more}. See "A workflow is stuck" in docs/runbook.md`);
  },
});

const versionCheck = (client: Client, prefix: string, isVersioned: boolean): Check => ({
  name: `version ${client.options.namespace}`,
  advice: 'Check the namespace and its permissions',
  async run() {
    const { current, ramping } = await readVersions(client, prefix);
    if (!isVersioned)
      return current === null
        ? ok('workers have none')
        : fail(`${current} is current, and gets all work: set TEMPORAL_VERSIONING`);
    if (current === null) return fail('none is current, so nothing runs: npm run admin -- temporal-version set-current');
    return ok(ramping ? `${current} is current, ${ramping.percentage}% go to ${ramping.buildId}` : `${current} is current`);
  },
});

const namespaceChecks = ({ connection }: TemporalClient, client: Client): Check[] => {
  const { namespace } = client.options;
  return [
    {
      name: `namespace ${namespace}`,
      advice: `Create it: temporal operator namespace create -n ${namespace} --retention 720h`,
      async run() {
        const { config } = await withDeadline(client, () => connection.workflowService.describeNamespace({ namespace }));
        const days = Math.floor(Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY_SECONDS);
        return ok(`closed workflows are kept for ${days} ${days === 1 ? 'day' : 'days'}`);
      },
    },
    {
      name: `attributes ${namespace}`,
      advice: 'Check the permissions of TEMPORAL_API_KEY',
      async run() {
        const found = await withDeadline(client, () => connection.operatorService.listSearchAttributes({ namespace }));
        const required = Object.keys(SEARCH_ATTRIBUTES);
        const missing = required.filter((name) => found.customAttributes?.[name] === undefined);
        if (missing.length === 0) return ok(`${required.length} of ${required.length} search attributes`);
        return fail(`missing: ${missing.join(', ')}. Start a worker, or create them on the server`);
      },
    },
  ];
};

/** The first check is the connection itself. Without a context, the lanes are not checked: how many there are is in the database. */
export const temporalChecks = (
  temporal: TemporalClient,
  { queuePrefix, isVersioned, ctx }: { queuePrefix: string; isVersioned: boolean; ctx: Context | null },
): Check[] => {
  const { clients, connection } = temporal;
  return [
    {
      name: 'temporal',
      advice: 'Check TEMPORAL_ADDRESS, the TEMPORAL_TLS settings and the API key',
      async run() {
        const { serverVersion } = await withDeadline(clients.finance, () => connection.workflowService.getSystemInfo({}));
        return ok(`server ${serverVersion || 'reachable'}`);
      },
    },
    ...distinctClients(clients).flatMap((client) => [
      ...namespaceChecks(temporal, client),
      versionCheck(client, queuePrefix, isVersioned),
    ]),
    ...ALL_WORKFLOWS.flatMap(({ namespace, schedule }) =>
      schedule ? [scheduleCheck(clients[namespace], queuePrefix, schedule.id)] : [],
    ),
    failingCheck(clients, queuePrefix),
    ...(ctx ? [endedCheck(clients, ctx), lanesCheck(clients, queuePrefix, ctx)] : []),
    ...Object.entries(ROLE_QUEUES).map(([role, queues]) => roleCheck(clients, queuePrefix, role, queues)),
  ];
};
