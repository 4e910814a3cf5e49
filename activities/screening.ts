import type { ScreeningActivities, ScreeningResult } from '../src/contracts/screening.ts';
import { screenClicks, screenConversions } from '../src/domains/flags/index.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import { translated } from './support/failures.ts';

export interface ScreeningRuntime {
  context(): Context;
}

const BATCH = 200;
const TIME_BUDGET_MS = 5_000;

const screenShard = async (context: () => Context, shard: number): Promise<ScreeningResult> => {
  const endsAt = performance.now() + TIME_BUDGET_MS;
  let screened = 0;
  // First, so that the conversions that follow are held, too.
  while (performance.now() < endsAt && (await screenClicks(context(), { shard, limit: BATCH })) > 0);
  while (performance.now() < endsAt) {
    const batch = await screenConversions(context(), { shard, limit: BATCH });
    screened += batch;
    if (batch < BATCH) return { screened, more: false };
  }
  return { screened, more: true };
};

/** Runs at least once and is safe to repeat. */
export const screeningActivities = ({ context }: ScreeningRuntime): ScreeningActivities =>
  translated(() => context().log, {
    async screenShard({ shard }) {
      faultPoint('worker:before-activity');
      const result = await screenShard(context, shard);
      faultPoint('worker:after-activity');
      return result;
    },
  } satisfies ScreeningActivities);
