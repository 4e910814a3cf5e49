import { type Context, inTransaction } from '../../../platform/context.ts';
import { getApplicant } from '../applicant.queries.ts';
import { type ApplicationView, toApplication } from '../applications.wire.ts';
import { announceDecision, deciderOf, recordDecision } from '../decision.ts';
import { lockApplication, type ReviewInput } from '../lock-application.ts';

/** Blocks the person of a pending application, who can never apply to the program again. */
export const blockApplication = (ctx: Context, { id, note }: ReviewInput): Promise<ApplicationView> =>
  inTransaction(ctx, async (ctx) => {
    const application = await lockApplication(ctx, id);
    application.decide({ status: 'blocked', note, by: deciderOf(ctx) }, ctx.clock.now());
    await recordDecision(ctx, application, 'pending');
    await announceDecision(ctx, application);
    return toApplication(application, await getApplicant(ctx, application.profileId));
  });
