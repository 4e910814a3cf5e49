import { type Client, type ScheduleDescription, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import { QUEUES, SCHEDULES } from '../contracts/workflows.ts';
import { withDeadline } from '../relay/temporal-client.ts';

const RELEASE = SCHEDULES.commissionRelease;

export interface ScheduleSettings {
  queuePrefix: string;
}

/**
 * It has no times of its own: `releaseIfDue` triggers it, so that no run finds nothing to do. The Schedule is where an
 * operator pauses the release, triggers it manually and sees its runs.
 */
const releaseSchedule = ({ queuePrefix }: ScheduleSettings) => ({
  scheduleId: queuePrefix + RELEASE,
  spec: {},
  action: {
    type: 'startWorkflow' as const,
    workflowType: 'commissionRelease',
    workflowId: queuePrefix + RELEASE,
    taskQueue: queuePrefix + QUEUES.release,
    args: [],
    staticSummary: 'Approve commissions whose hold period has ended',
    staticDetails: 'Started by a worker while commissions are due. Pause its Schedule to hold every release.',
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
});

/** Creates every Schedule, or updates the one of an earlier version; the second call changes nothing. */
export const ensureSchedules = async (client: Client, settings: ScheduleSettings): Promise<void> => {
  const wanted = releaseSchedule(settings);
  const handle = client.schedule.getHandle(wanted.scheduleId);
  try {
    const found = await withDeadline(client, () => handle.describe());
    if (isCurrent(found, wanted)) return;
    const { spec, action, policies } = wanted;
    await withDeadline(client, () => handle.update(({ state }) => ({ spec, action, policies, state })));
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    await withDeadline(client, () => client.schedule.create(wanted));
  }
};

const isCurrent = ({ spec, action, policies }: ScheduleDescription, wanted: ReturnType<typeof releaseSchedule>): boolean =>
  !spec.intervals?.length &&
  !spec.calendars?.length &&
  action.workflowType === wanted.action.workflowType &&
  action.taskQueue === wanted.action.taskQueue &&
  action.staticDetails === wanted.action.staticDetails &&
  policies.overlap === wanted.policies.overlap;

/** Starts a release if one has something to do. A paused Schedule, and a release that is running, are left alone. */
export const releaseIfDue = async (
  client: Client,
  { queuePrefix, isDue }: ScheduleSettings & { isDue(): Promise<boolean> },
): Promise<void> => {
  if (!(await isDue())) return;
  const handle = client.schedule.getHandle(queuePrefix + RELEASE);
  const { state, info } = await withDeadline(client, () => handle.describe());
  if (!state.paused && info.runningActions.length === 0)
    await withDeadline(client, () => handle.trigger(ScheduleOverlapPolicy.SKIP));
};
