import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { QUEUES, SCHEDULES } from '../contracts/workflows.ts';
import { withDeadline } from '../relay/temporal-client.ts';

const RELEASE = SCHEDULES.commissionRelease;

/** Creates every Schedule that does not exist yet; the second call changes nothing. */
export const ensureSchedules = async (
  client: Client,
  settings: { releaseIntervalSeconds: number; queuePrefix: string },
): Promise<void> => {
  try {
    await withDeadline(client, () =>
      client.schedule.create({
        scheduleId: settings.queuePrefix + RELEASE,
        spec: { intervals: [{ every: settings.releaseIntervalSeconds * 1_000 }] },
        action: {
          type: 'startWorkflow',
          workflowType: 'commissionRelease',
          workflowId: settings.queuePrefix + RELEASE,
          taskQueue: settings.queuePrefix + QUEUES.payouts,
          args: [],
          staticSummary: 'Approve commissions whose hold period has ended',
        },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
};
