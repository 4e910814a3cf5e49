import { activityInfo } from '@temporalio/activity';
import type { FlagActivities } from '../src/contracts/workflows/flag-review.ts';
import {
  applyFlagDeadline,
  getFlagReviewState,
  recordFlagCancellation,
  rejectFlagged,
  remindFlag,
} from '../src/domains/flags/index.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import { findCancellationRequest } from './support/cancellation.ts';
import { translated } from './support/failures.ts';

type ContextFor = (actor: { name: string }) => Context;

/** Each runs at least once and is safe to repeat. */
export const flagActivities = (contextFor: ContextFor): FlagActivities => {
  const run = async <T>(work: (ctx: Context) => Promise<T>): Promise<T> => {
    faultPoint('worker:before-activity');
    const result = await work(contextFor({ name: activityInfo().workflowType ?? 'flag' }));
    faultPoint('worker:after-activity');
    return result;
  };
  return translated(() => contextFor({ name: 'activity' }).log, {
    loadFlag: ({ flagId }) => run((ctx) => getFlagReviewState(ctx, flagId)),
    remindFlag: (input) => run((ctx) => remindFlag(ctx, input)),
    applyFlagDeadline: (input) =>
      run(async (ctx) => {
        const flag = await applyFlagDeadline(ctx, input);
        faultPoint('flag:after-deadline');
        return flag;
      }),
    rejectFlagged: (input) => run((ctx) => rejectFlagged(ctx, input)),
    recordFlagCancellation: async (input) => {
      await run((ctx) => recordFlagCancellation(ctx, input));
      return findCancellationRequest();
    },
  } satisfies FlagActivities);
};
