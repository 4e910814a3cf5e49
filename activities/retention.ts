import type { RetentionActivities, RetentionResult, RetentionStep } from '../src/contracts/workflows/retention.ts';
import { deleteExpiredMails } from '../src/domains/notifications/index.ts';
import { deleteExpiredNotifications } from '../src/domains/payouts/index.ts';
import { deleteExpiredClicks } from '../src/domains/tracking/index.ts';
import { cancelExpiredDeliveries, deleteExpiredRows, dropExpiredPartition } from '../src/domains/webhooks/index.ts';
import type { Context } from '../src/platform/context.ts';
import type { ProcessMetrics } from '../src/platform/metrics/process-metrics.ts';
import { translated } from './support/failures.ts';

export interface RetentionRuntime {
  context(): Context;
  removed: ProcessMetrics['retentionRemoved'];
}

const BATCH = 1_000;
const TIME_BUDGET_MS = 5_000;
const PAUSE_MS = 250;

type RowStep = Exclude<RetentionStep, 'partitions'>;
const STEPS: Record<RowStep, (ctx: Context, input: { limit: number }) => Promise<number>> = {
  parked_deliveries: cancelExpiredDeliveries,
  late_webhook_rows: deleteExpiredRows,
  rail_notifications: deleteExpiredNotifications,
  mails: deleteExpiredMails,
  clicks: deleteExpiredClicks,
};

const removeRows = async (context: () => Context, step: RowStep): Promise<RetentionResult> => {
  const endsAt = performance.now() + TIME_BUDGET_MS;
  let removed = 0;
  while (performance.now() < endsAt) {
    const batch = await STEPS[step](context(), { limit: BATCH });
    if (batch === 0) return { removed, partitions: [], more: false };
    removed += batch;
  }
  return { removed, partitions: [], more: true };
};

/** While a long statement holds the table, the drop is tried again: each try makes others wait for a moment only. */
const dropPartitions = async (context: () => Context): Promise<RetentionResult> => {
  const endsAt = performance.now() + TIME_BUDGET_MS;
  const partitions: string[] = [];
  while (performance.now() < endsAt) {
    const { dropped, busy } = await dropExpiredPartition(context());
    if (dropped !== null) partitions.push(dropped);
    else if (!busy) return { removed: partitions.length, partitions, more: false };
    if (busy) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return { removed: partitions.length, partitions, more: true };
};

/** Each runs at least once and is safe to repeat. */
export const retentionActivities = ({ context, removed }: RetentionRuntime): RetentionActivities =>
  translated(() => context().log, {
    async removeExpired({ step }) {
      const result = step === 'partitions' ? await dropPartitions(context) : await removeRows(context, step);
      removed.inc({ step }, result.removed);
      if (result.removed > 0) context().log.info({ step, ...result }, 'expired data was removed');
      return result;
    },
  } satisfies RetentionActivities);
