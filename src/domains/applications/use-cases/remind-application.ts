import type { ApplicationSnapshot } from '../../../contracts/applications.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { getApplicationSnapshot } from '../application-workflow.ts';
import { lockApplication } from '../lock-application.ts';

/** Reminds the merchant of an application that is still pending. The second call for the same reminder changes nothing. */
export const remindApplication = (
  ctx: Context,
  { applicationId, reminder }: { applicationId: string; reminder: number },
): Promise<ApplicationSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, applicationId);
    if (application.remind(reminder, ctx.clock.now())) {
      const { merchantId, programId } = application;
      await emitInternal(ctx, { type: 'application.reminder', applicationId, merchantId, programId, n: reminder });
    }
    return getApplicationSnapshot(ctx, applicationId);
  });
