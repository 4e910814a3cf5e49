import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockApplication } from '../lock-application.ts';

/** Notes that the cancellation of the workflow was requested in Temporal, which has no effect: only the API decides. */
export const noteCancellation = (ctx: Context, { applicationId }: { applicationId: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, applicationId);
    application.noteCancellation(ctx.clock.now());
  });
