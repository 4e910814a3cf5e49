import { type ApplicationSnapshot, EXPIRED_NOTE } from '../../../contracts/applications.ts';
import { type Context, emitInternal, inTransaction, merchantOf } from '../../../platform/context.ts';
import { assertMayAddAffiliates } from '../../merchants/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { getApplicant } from '../applicant.queries.ts';
import { getApplicationSnapshot, signalApplicationWorkflow } from '../application-workflow.steps.ts';
import { getAppliedProgram } from '../applications.queries.ts';
import { type ApplicationView, type OwnApplicationView, toApplication, toOwnApplication } from '../applications.wire.ts';
import { announceDecision, approve, deciderOf, emitApplication, recordDecision, tellDecision } from '../decision.steps.ts';
import { lockApplication, lockApplicationToApprove, type ReviewInput } from '../lock-application.steps.ts';

/** Approves a pending application: ALREADY_DECIDED when anything else came first. The row lock decides a race. */
export const approveApplication = (ctx: Context, { id, note }: ReviewInput): Promise<ApplicationView> =>
  inTransaction(ctx, async (ctx) => {
    const merchantId = merchantOf(ctx);
    const application = await lockApplicationToApprove(ctx, id, merchantId);
    const program = await readOwnedProgram(ctx, application.programId);
    await assertMayAddAffiliates(ctx, merchantId);
    await approve(ctx, { application, program, note, by: deciderOf(ctx) });
    await recordDecision(ctx, application, 'pending');
    await announceDecision(ctx, application);
    return toApplication(application, await getApplicant(ctx, application.profileId));
  });

/** Blocks the person of a pending application, who can never apply to the program again. */
export const blockApplication = (ctx: Context, input: ReviewInput): Promise<ApplicationView> => refuse(ctx, input, 'blocked');

/** Declines a pending application. The person may apply again after 30 days. */
export const declineApplication = (ctx: Context, input: ReviewInput): Promise<ApplicationView> => refuse(ctx, input, 'declined');

const refuse = (ctx: Context, { id, note }: ReviewInput, status: 'blocked' | 'declined'): Promise<ApplicationView> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, id);
    application.decide({ status, note, by: deciderOf(ctx) }, ctx.clock.now());
    await recordDecision(ctx, application, 'pending');
    await announceDecision(ctx, application);
    return toApplication(application, await getApplicant(ctx, application.profileId));
  });

/** Withdraws the caller's own pending application. They may apply again at once. */
export const withdrawApplication = (ctx: Context, { id }: { id: string }): Promise<OwnApplicationView> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, id);
    application.decide({ status: 'withdrawn', by: null }, ctx.clock.now());
    await signalApplicationWorkflow(ctx, application);
    await emitApplication(ctx, 'application.decided', application);
    return toOwnApplication(application, await getAppliedProgram(ctx, application.programId));
  });

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

/** Notes that the cancellation of the workflow was requested in Temporal, which has no effect: only the API decides. */
export const noteCancellation = (ctx: Context, { applicationId }: { applicationId: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, applicationId);
    application.noteCancellation(ctx.clock.now());
  });
