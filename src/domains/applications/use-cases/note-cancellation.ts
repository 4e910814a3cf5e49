import type { ApplicationSnapshot } from '../../../contracts/applications.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { getApplicationSnapshot } from '../application-workflow.ts';
import { lockApplication } from '../lock-application.ts';

/** Notes that the cancellation of the workflow was requested in Temporal, which has no effect: only the API decides. */
export const noteCancellation = (ctx: Context, { applicationId }: { applicationId: string }): Promise<ApplicationSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, applicationId);
    application.noteCancellation(ctx.clock.now());
    return getApplicationSnapshot(ctx, applicationId);
  });
