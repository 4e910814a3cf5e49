import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { QUEUES } from '../contracts/workflows.ts';
import { withDeadline } from './temporal-client.ts';

const RELEASE = 'commission-release';

/** Makes sure that every Schedule exists. Doing it again changes nothing. */
export const ensureSchedules = async (client: Client, settings: { releaseEverySeconds: number }): Promise<void> => {
  try {
    await withDeadline(client, () =>
      client.schedule.create({
        scheduleId: RELEASE,
        spec: { intervals: [{ every: settings.releaseEverySeconds * 1_000 }] },
        action: {
          type: 'startWorkflow',
          workflowType: 'commissionRelease',
          workflowId: RELEASE,
          taskQueue: QUEUES.payouts,
          args: [],
          staticSummary: 'Approve commissions whose hold is over',
        },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
};
