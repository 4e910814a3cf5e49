import type { Config } from '../config.ts';
import { payoutLifecycle } from '../contracts/workflows/payout-lifecycle.ts';
import { QUEUES, queuesOf } from '../contracts/workflows/queues.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import type { Context } from '../platform/context.ts';
import { forkOf } from '../platform/database/orm.ts';
import { ensurePartitions } from '../platform/database/partitions.ts';
import { deleteExpiredIdempotencyRecords } from '../platform/idempotency/idempotency.ts';
import type { Logger } from '../platform/logger.ts';
import type { Runtime } from '../runtime.ts';
import type { TemporalClient } from '../temporal/client.ts';
import type { Reconciler } from '../temporal/relay/reconciler.ts';
import { searchAttributesEnsurer } from '../temporal/search-attributes.ts';
import { terminatedRuns } from '../temporal/terminated-runs.ts';
import { approveIfDue, compareWhileHeld, ensureSchedules, exchangeIfDue, removeFormerSchedules } from './schedules.ts';
import { webhookLanesEnsurer } from './webhook-lanes.ts';

export interface PeriodicJobsInput {
  runtime: Runtime;
  config: Config;
  temporal: TemporalClient;
  reconciler: Reconciler;
  reconcileEveryMs: number;
  /** Compares the database with its mark, and marks it. */
  marks(): Promise<void>;
}

interface PeriodicJob {
  /** Completes "… failed" in the log. */
  name: string;
  /** Time from the end of a run to the next. */
  everyMs: number;
  /** The processes that run it. */
  role: 'every' | 'relay';
  run(): Promise<unknown>;
}

/** Everything that a worker repeats beside its workflows. */
const jobsOf = ({
  runtime,
  config,
  temporal,
  reconciler,
  reconcileEveryMs,
  marks,
}: PeriodicJobsInput): readonly PeriodicJob[] => {
  const { clients } = temporal;
  const queuePrefix = config.TEMPORAL_QUEUE_PREFIX;
  const releaseEveryMs = config.COMMISSION_RELEASE_INTERVAL_SECONDS * SECOND_MS;
  const as: As = (name) => runtime.context({ kind: 'system', name });
  const approve = atMostEvery(releaseEveryMs, () =>
    approveIfDue(clients, { queuePrefix, isDue: () => runtime.isReleaseDue(as('commissionRelease')) }),
  );
  return [
    {
      // The Schedules are ensured every minute, and due commissions are looked for as often as configured.
      name: 'ensuring schedules',
      everyMs: Math.min(releaseEveryMs, MINUTE_MS),
      role: 'every',
      run: () => ensureSchedules(clients, { queuePrefix }).then(approve),
    },
    {
      name: 'removing former schedules',
      everyMs: HOUR_MS,
      role: 'every',
      run: () => removeFormerSchedules(clients, { queuePrefix }),
    },
    {
      // Repeats: after Temporal lost its store, no workflow can start without them.
      name: 'ensuring search attributes',
      everyMs: reconcileEveryMs,
      role: 'every',
      run: searchAttributesEnsurer(temporal, runtime.log),
    },
    {
      name: 'ensuring webhook lanes',
      everyMs: reconcileEveryMs,
      role: 'every',
      run: webhookLanesEnsurer({
        runtime,
        clients,
        queuePrefix,
        lanes: queuesOf(config.WORKER_ROLES).includes(QUEUES.webhookLanes) ? config.WEBHOOK_LANES : null,
      }),
    },
    {
      // Needed once a month, three months ahead. Here, so that it does not depend on Temporal.
      name: 'creating partitions',
      everyMs: HOUR_MS,
      role: 'every',
      run: () => ensurePartitions(forkOf(runtime.orm)),
    },
    {
      name: 'deleting expired records',
      everyMs: MINUTE_MS,
      role: 'every',
      run: () =>
        Promise.all([deleteExpiredIdempotencyRecords(as('housekeeping')), runtime.deleteExpiredSignIns(as('housekeeping'))]),
    },
    {
      // A clean comparison ends a hold after a failover by itself.
      name: 'comparing the books while payments are held',
      everyMs: 15 * MINUTE_MS,
      role: 'relay',
      run: () => compareWhileHeld(clients, { queuePrefix, areHeld: () => runtime.arePaymentsHeld(as('paymentsHold')) }),
    },
    {
      // Where the folders are.
      name: 'exchanging bank files',
      everyMs: 15 * SECOND_MS,
      role: 'every',
      run: async () => {
        if (queuesOf(config.WORKER_ROLES).includes(QUEUES.reviews))
          await exchangeIfDue(clients, { queuePrefix, isDue: () => runtime.isBankFolderDue(as('bankFolders')) });
      },
    },
    { name: 'marking the database', everyMs: MINUTE_MS, role: 'relay', run: marks },
    { name: 'reconciling workflows', everyMs: reconcileEveryMs, role: 'relay', run: () => reconciler.round() },
    {
      name: 'noting terminated workflows',
      everyMs: reconcileEveryMs,
      role: 'relay',
      run: terminatedRuns({
        client: clients[payoutLifecycle.namespace],
        note: (run) => runtime.noteTerminatedRun(as('reconciler'), run),
      }),
    },
    ...stepsOf(runtime, as),
  ];
};

type As = (name: string) => Context;

/** Jobs of domains, which ask the database what is due. */
const stepsOf = (runtime: Runtime, as: As): readonly PeriodicJob[] => [
  {
    name: 'drafting scheduled payout runs',
    everyMs: MINUTE_MS,
    role: 'relay',
    run: () => runtime.draftScheduledRuns(as('payoutSchedule')),
  },
  {
    name: 'finishing abandoned bank files',
    everyMs: MINUTE_MS,
    role: 'relay',
    run: () => runtime.finishAbandonedFiles(as('bankFiles')),
  },
  {
    name: 'checking domains of programs',
    everyMs: MINUTE_MS,
    role: 'relay',
    run: () => runtime.checkPortalDomains(as('portalDomains')),
  },
  {
    name: 'telling of held payments',
    everyMs: MINUTE_MS,
    role: 'relay',
    run: () => runtime.tellOfHeldPayments(as('paymentsHold')),
  },
  { name: 'raising trust', everyMs: HOUR_MS, role: 'relay', run: () => runtime.raiseTrust(as('trust')) },
  { name: 'adding up clicks', everyMs: 3 * SECOND_MS, role: 'relay', run: () => runtime.addUpClicks(as('clicks')) },
  {
    name: 'adding up conversions',
    everyMs: 3 * SECOND_MS,
    role: 'relay',
    run: () => runtime.addUpConversions(as('conversions')),
  },
  {
    name: 'settling joined customers',
    everyMs: 3 * SECOND_MS,
    role: 'relay',
    run: () => runtime.settleCustomers(as('customers')),
  },
  {
    name: 'refreshing the marketplace',
    everyMs: 3 * SECOND_MS,
    role: 'relay',
    run: () => runtime.refreshMarketplace(as('marketplace')),
  },
  {
    name: 'notifying affiliates of resources',
    everyMs: 3 * SECOND_MS,
    role: 'relay',
    run: () => runtime.writeResourceMails(as('resourceMails')),
  },
  { name: 'due approvals', everyMs: 10 * SECOND_MS, role: 'relay', run: () => runtime.applyDueApprovals(as('approvals')) },
  { name: 'removing files', everyMs: MINUTE_MS, role: 'relay', run: () => runtime.removeDiscardedFiles(as('files')) },
];

/** Starts the jobs of this process. Returns a function that stops them. */
export const startPeriodicJobs = (input: PeriodicJobsInput): (() => void) => {
  const isRelay = input.config.WORKER_ROLES.includes('relay');
  const stops = jobsOf(input)
    .filter(({ role }) => role === 'every' || isRelay)
    .map((job) => repeat(job, input.runtime.log));
  return () => {
    for (const stop of stops) stop();
  };
};

/** Runs a job now and again after each run that ended or failed, until stopped. Runs never overlap. */
const repeat = ({ name, everyMs, run }: PeriodicJob, log: Logger): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const round = async (): Promise<void> => {
    await run().catch((err: unknown) => log.warn({ err }, `${name} failed`));
    if (!stopped) timer = setTimeout(() => void round(), everyMs);
  };
  void round();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
};

/** Does nothing until so much time has passed since the last call that succeeded. */
const atMostEvery = (intervalMs: number, run: () => Promise<void>): (() => Promise<void>) => {
  let nextMs = 0;
  return async () => {
    if (Date.now() < nextMs) return;
    await run();
    nextMs = Date.now() + intervalMs;
  };
};
