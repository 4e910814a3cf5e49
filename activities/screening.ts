import pLimit from 'p-limit';
import type { FailedRules, ScreeningActivities, ScreeningResult } from '../src/contracts/workflows/screening.ts';
import { findBacklog, screenClicks, screenConversions } from '../src/domains/flags/index.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import { translated } from './support/failures.ts';

export interface ScreeningRuntime {
  context(): Context;
  /** How long a step takes at most, but for its last batch. */
  budgetMs?: number;
}

/** Sales of affiliates with findings wait for the commit of a batch: it is short, and few run at once. */
const BATCH = 25;
const TIME_BUDGET_MS = 5_000;
const batchSlot = pLimit(2);

const screenShard = async ({ context, budgetMs = TIME_BUDGET_MS }: ScreeningRuntime, shard: number): Promise<ScreeningResult> => {
  const endsAt = performance.now() + budgetMs;
  let screened = 0;
  const failedRules: Record<string, number> = {};
  // First, so that the conversions that follow are held, too.
  while (performance.now() < endsAt && (await screenClicks(context(), { shard, limit: BATCH })));
  while (performance.now() < endsAt) {
    const batch = await batchSlot(() => screenConversions(context(), { shard, limit: BATCH }));
    screened += batch.screened;
    addTo(failedRules, batch.failedRules);
    if (batch.screened < BATCH) return { screened, more: false, waiting: 0, waitingSince: null, failedRules };
  }
  return { screened, more: true, ...(await findBacklog(context(), shard)), failedRules };
};

const addTo = (sum: Record<string, number>, failedRules: FailedRules): void => {
  for (const [rule, conversions] of Object.entries(failedRules)) sum[rule] = (sum[rule] ?? 0) + conversions;
};

/** Runs at least once and is safe to repeat. */
export const screeningActivities = (runtime: ScreeningRuntime): ScreeningActivities =>
  translated(() => runtime.context().log, {
    async screenShard({ shard }) {
      faultPoint('worker:before-activity');
      const result = await screenShard(runtime, shard);
      faultPoint('worker:after-activity');
      return result;
    },
  } satisfies ScreeningActivities);
