import type { ApplicationActivities } from '../src/contracts/workflows/application-review.ts';
import {
  expireApplication,
  getApplicationSnapshot,
  noteCancellation,
  remindApplication,
} from '../src/domains/applications/index.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import { findCancellationRequest } from './support/cancellation.ts';
import { translated } from './support/failures.ts';

/** Each runs at least once and is safe to repeat. */
export const applicationActivities = (contextOf: (name: string) => Context): ApplicationActivities => {
  const run = async <T>(work: (ctx: Context) => Promise<T>): Promise<T> => {
    faultPoint('worker:before-activity');
    const result = await work(contextOf('applicationReview'));
    faultPoint('worker:after-activity');
    return result;
  };
  return translated(() => contextOf('activity').log, {
    loadApplication: ({ applicationId }) => run((ctx) => getApplicationSnapshot(ctx, applicationId)),
    remindApplication: (input) =>
      run(async (ctx) => {
        const application = await remindApplication(ctx, input);
        faultPoint('application:after-reminder');
        return application;
      }),
    expireApplication: (input) =>
      run(async (ctx) => {
        const application = await expireApplication(ctx, input);
        faultPoint('application:after-expiry');
        return application;
      }),
    noteCancellation: async (input) => {
      await run((ctx) => noteCancellation(ctx, input));
      return findCancellationRequest();
    },
  } satisfies ApplicationActivities);
};
