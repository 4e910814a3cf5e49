import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { bankFolders } from '../contracts/workflows/bank-folders.ts';
import { commissionRelease } from '../contracts/workflows/commission-release.ts';
import { ALL_WORKFLOWS } from '../contracts/workflows/index.ts';
import { QUEUES } from '../contracts/workflows/queues.ts';
import { reconciliation } from '../contracts/workflows/reconciliation.ts';
import { type Clients, distinctClients, withLongDeadline } from '../temporal/client.ts';

export interface ScheduleSettings {
  queuePrefix: string;
}

/** Every Schedule, with the type of its workflow. It is where an operator pauses the work, triggers it manually and sees its runs. */
const TABLE = ALL_WORKFLOWS.flatMap(({ type, namespace, schedule }) => (schedule ? [{ ...schedule, type, namespace }] : []));

type ScheduleEntry = (typeof TABLE)[number];

/** Marks the Schedules of this installation: only these are removed when they leave the table. */
const ownerOf = ({ queuePrefix }: ScheduleSettings): string => `tributary ${queuePrefix}`;

const optionsOf = (entry: ScheduleEntry, settings: ScheduleSettings) =>
  ({
    scheduleId: settings.queuePrefix + entry.id,
    spec: entry.interval ? { intervals: [entry.interval] } : {},
    action: {
      type: 'startWorkflow',
      workflowType: entry.type,
      workflowId: settings.queuePrefix + entry.id,
      taskQueue: settings.queuePrefix + QUEUES.workflows,
      args: [],
      staticSummary: entry.summary,
      staticDetails: entry.details,
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: entry.catchupWindow },
    memo: { owner: ownerOf(settings) },
  }) satisfies ScheduleOptions;

type Wanted = ReturnType<typeof optionsOf>;

/** Creates and updates the Schedules of the table. The second call changes nothing. */
export const ensureSchedules = async (clients: Clients, settings: ScheduleSettings): Promise<void> => {
  for (const entry of TABLE) await ensureSchedule(clients[entry.namespace], optionsOf(entry, settings));
};

const ensureSchedule = async (client: Client, wanted: Wanted): Promise<void> => {
  const handle = client.schedule.getHandle(wanted.scheduleId);
  try {
    const found = await withLongDeadline(client, () => handle.describe());
    if (isCurrent(found, wanted)) return;
    const { spec, action, policies } = wanted;
    await withLongDeadline(client, () => handle.update(({ state }) => ({ spec, action, policies, state })));
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    await withLongDeadline(client, () => client.schedule.create(wanted)).catch((failure: unknown) => {
      // Another worker created it meanwhile.
      if (!(failure instanceof ScheduleAlreadyRunning)) throw failure;
    });
  }
};

const isCurrent = ({ spec, action, policies }: ScheduleDescription, wanted: Wanted): boolean => {
  const [interval, ...others] = spec.intervals ?? [];
  const wantedInterval = wanted.spec.intervals?.[0];
  return (
    others.length === 0 &&
    !spec.calendars?.length &&
    interval?.every === wantedInterval?.every &&
    (interval?.offset ?? 0) === (wantedInterval?.offset ?? 0) &&
    action.workflowType === wanted.action.workflowType &&
    action.taskQueue === wanted.action.taskQueue &&
    action.staticDetails === wanted.action.staticDetails &&
    policies.overlap === wanted.policies.overlap
  );
};

/** Deletes the Schedules of this installation that an earlier version created and the table does not have in their namespace. Returns their ids. */
export const removeFormerSchedules = async (clients: Clients, settings: ScheduleSettings): Promise<string[]> => {
  const removed: string[] = [];
  for (const client of distinctClients(clients)) {
    const wanted = TABLE.filter(({ namespace }) => clients[namespace] === client).map(({ id }) => settings.queuePrefix + id);
    const former: string[] = [];
    await withLongDeadline(client, async () => {
      for await (const { scheduleId, memo } of client.schedule.list()) {
        if (memo?.['owner'] === ownerOf(settings) && !wanted.includes(scheduleId)) former.push(scheduleId);
      }
    });
    for (const scheduleId of former) await withLongDeadline(client, () => client.schedule.getHandle(scheduleId).delete());
    removed.push(...former);
  }
  return removed;
};

/** Starts the approval of commissions if some are due. A paused Schedule, and a run that is not finished, are left alone. */
export const approveIfDue = async (
  clients: Clients,
  { queuePrefix, isDue }: ScheduleSettings & { isDue(): Promise<boolean> },
): Promise<void> => {
  if (await isDue()) await triggerUnlessPaused(clients[commissionRelease.namespace], queuePrefix + commissionRelease.schedule.id);
};

/** Starts the exchange of bank files while there are some, unless one runs. A paused Schedule is left alone. */
export const exchangeIfDue = async (
  clients: Clients,
  { queuePrefix, isDue }: ScheduleSettings & { isDue(): Promise<boolean> },
): Promise<void> => {
  if (await isDue()) await triggerUnlessPaused(clients[bankFolders.namespace], queuePrefix + bankFolders.schedule.id);
};

const triggerUnlessPaused = async (client: Client, scheduleId: string): Promise<void> => {
  const handle = client.schedule.getHandle(scheduleId);
  const { state, info } = await withLongDeadline(client, () => handle.describe());
  if (!state.paused && info.runningActions.length === 0)
    await withLongDeadline(client, () => handle.trigger(ScheduleOverlapPolicy.SKIP));
};

/** Starts a comparison of the books while all payments are on hold, unless one runs. */
export const compareWhileHeld = async (
  clients: Clients,
  { queuePrefix, areHeld }: ScheduleSettings & { areHeld: () => Promise<boolean> },
): Promise<void> => {
  if (!(await areHeld())) return;
  const client = clients[reconciliation.namespace];
  const handle = client.schedule.getHandle(queuePrefix + reconciliation.schedule.id);
  await withLongDeadline(client, () => handle.trigger(ScheduleOverlapPolicy.SKIP));
};
