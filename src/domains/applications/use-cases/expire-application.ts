import type { ApplicationSnapshot } from '../../../contracts/applications.ts';
import { EXPIRED_NOTE } from '../../../contracts/applications.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { getApplicationSnapshot } from '../application-workflow.ts';
import { recordDecision, tellDecision } from '../decision.ts';
import { lockApplication } from '../lock-application.ts';

/** Declines an application that is still pending at its deadline; before it, and after a decision, nothing changes. */
export const expireApplication = (ctx: Context, { applicationId }: { applicationId: string }): Promise<ApplicationSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, applicationId);
    const now = ctx.clock.now();
    if (application.status === 'pending' && application.dueAt <= now) {
      application.decide({ status: 'declined', note: EXPIRED_NOTE, by: null }, now);
      await recordDecision(ctx, application, 'pending');
      await tellDecision(ctx, application);
    }
    return getApplicationSnapshot(ctx, applicationId);
  });
