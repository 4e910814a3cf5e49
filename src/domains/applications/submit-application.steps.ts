import type { Source } from '../../contracts/affiliates.ts';
import type { RiskNote } from '../../contracts/applications.ts';
import { type Context, emitInternal, inTransaction } from '../../platform/context.ts';
import { conflict } from '../../platform/errors.ts';
import { acceptMembership } from '../affiliates/index.ts';
import { isRestricted } from '../merchants/index.ts';
import type { ProgramRecord } from '../programs/index.ts';
import { type FoundStanding, getStanding, lockApplicant } from './applicant.queries.ts';
import { Application, type OwnAct } from './application.entity.ts';
import { startApplicationWorkflow } from './application-workflow.steps.ts';
import { approve, emitApplication } from './decision.steps.ts';
import { newApplication } from './new-application.steps.ts';
import { type ApplicationConflict, findApplicationConflict } from './reapply.rules.ts';
import { riskNotesOf } from './risk-notes.rules.ts';

export interface SubmitApplicationInput extends OwnAct {
  program: ProgramRecord;
  profileId: string;
  source: Source;
  message?: string | undefined;
  /** Reserved at once: CODE_TAKEN when it is in use. Made from the name when omitted. */
  requestedCode?: string | undefined;
  /** For whom the requested code is reserved already. */
  codeHolderId?: string | undefined;
  /** Approves the application at once, whatever the risk notes. */
  skipReview?: boolean | undefined;
}

export interface SubmittedApplication {
  applicationId: string;
  affiliateId: string;
  status: 'auto_approved' | 'pending';
  riskNotes: RiskNote[];
}

/**
 * A person applies to a program. Approved at once when the program says so and nothing is noted, else it waits for the
 * merchant. Joins a membership that the merchant added. Refused with ALREADY_MEMBER, APPLICATION_PENDING, REAPPLY_LATER or AFFILIATE_BLOCKED.
 */
export const submitApplication = (ctx: Context, input: SubmitApplicationInput): Promise<SubmittedApplication> =>
  inTransaction(ctx, async (ctx) => {
    const { program, profileId } = input;
    const applicant = await lockApplicant(ctx, profileId);
    const standing = await getStanding(ctx, { programId: program.id, profileId });
    const found = findApplicationConflict(standing, ctx.clock.now());
    const joined = found?.reason === 'ALREADY_MEMBER' ? await joinAsAdded(ctx, standing, input) : null;
    if (joined) return joined;
    if (found) throw refused(found);
    const riskNotes = riskNotesOf({ ...applicant, websiteDomain: program.websiteDomain });
    const application = await newApplication(ctx, { ...input, applicant, riskNotes });
    await emitApplication(ctx, 'application.submitted', application, applicant);
    const needsNoReview = input.skipReview || (riskNotes.length === 0 && program.autoApproveAffiliates);
    const isApproved = needsNoReview && (await mayApprove(ctx, program));
    if (isApproved) {
      await approve(ctx, { application, program, by: null });
      await emitApplication(ctx, 'application.decided', application, applicant);
    } else await awaitDecision(ctx, application);
    const { id: applicationId, affiliateId } = application;
    return { applicationId, affiliateId, status: isApproved ? 'auto_approved' : 'pending', riskNotes };
  });

/** A merchant who may not approve applications does not approve them automatically or by an invite either: they wait. */
const mayApprove = async (ctx: Context, { merchantId }: ProgramRecord): Promise<boolean> =>
  !(await isRestricted(ctx, merchantId));

/** Whom the merchant added joins by applying: the merchant is shown the profile from now on. Null when they joined before. */
const joinAsAdded = async (
  ctx: Context,
  { affiliateId, applicationId }: FoundStanding,
  act: OwnAct,
): Promise<SubmittedApplication | null> => {
  if (affiliateId === null || applicationId === null) return null;
  if (!(await acceptMembership(ctx, affiliateId))) return null;
  const application = await ctx.em.findOneOrFail(Application, { id: applicationId });
  application.joinAsAdded(act);
  return { applicationId, affiliateId, status: 'auto_approved', riskNotes: [] };
};

const awaitDecision = async (ctx: Context, application: Application): Promise<void> => {
  await startApplicationWorkflow(ctx, application);
  const { id: applicationId, merchantId, programId } = application;
  await emitInternal(ctx, { type: 'application.submitted', applicationId, merchantId, programId });
};

const MESSAGES: Readonly<Record<ApplicationConflict['reason'], string>> = {
  ALREADY_MEMBER: 'You are already an affiliate of this program',
  APPLICATION_PENDING: 'Your application to this program is waiting for a decision',
  REAPPLY_LATER: 'You cannot apply to this program again yet',
  AFFILIATE_BLOCKED: 'You are blocked from this program',
};

const refused = ({ reason, retryAt }: ApplicationConflict) =>
  conflict(reason, MESSAGES[reason], retryAt === null ? {} : { retryAt: retryAt.toISOString() });
