import { type Context, inTransaction } from '../../../platform/context.ts';
import { signalApplicationWorkflow } from '../application-workflow.ts';
import { getAppliedProgram } from '../applications.queries.ts';
import { type OwnApplicationView, toOwnApplication } from '../applications.wire.ts';
import { emitApplication } from '../decision.ts';
import { lockApplication } from '../lock-application.ts';

/** Withdraws the caller's own pending application. They may apply again at once. */
export const withdrawApplication = (ctx: Context, { id }: { id: string }): Promise<OwnApplicationView> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, id);
    application.decide({ status: 'withdrawn', by: null }, ctx.clock.now());
    await signalApplicationWorkflow(ctx, application);
    await emitApplication(ctx, 'application.decided', application);
    return toOwnApplication(application, await getAppliedProgram(ctx, application.programId));
  });
