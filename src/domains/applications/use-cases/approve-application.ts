import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { assertMayAddAffiliates } from '../../merchants/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { getApplicant } from '../applicant.queries.ts';
import { type ApplicationView, toApplication } from '../applications.wire.ts';
import { announceDecision, approve, deciderOf, recordDecision } from '../decision.ts';
import { lockApplicationToApprove, type ReviewInput } from '../lock-application.ts';

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
