import type { ApplicationStatus } from '../../contracts/applications.ts';
import { recordChange } from '../../platform/audit-log/record-change.ts';
import { type Context, callerIdOf, emit, emitInternal, findCaller } from '../../platform/context.ts';
import { conflict } from '../../platform/errors.ts';
import { createMembership, type NewMembership } from '../affiliates/index.ts';
import type { ProgramRecord } from '../programs/index.ts';
import { getApplicant } from './applicant.queries.ts';
import type { Application, ApplicationDecision } from './application.entity.ts';
import { signalApplicationWorkflow } from './application-workflow.steps.ts';
import { type Applicant, toApplication } from './applications.wire.ts';

export interface Approval extends Omit<ApplicationDecision, 'status'> {
  /** New or locked. */
  application: Application;
  program: ProgramRecord;
  /** Instead of the requested one. */
  code?: string | undefined;
  /** Who applied takes part by an act of their own, which is the default; whom others add does not. */
  isOwnAct?: boolean;
  /** Given when the merchant adds the person. */
  entered?: NewMembership['entered'];
}

/**
 * Approves the application and creates the membership under the allotted id, with its code and first link. PROGRAM_INACTIVE
 * when the program was archived meanwhile; a paused one may continue.
 */
export const approve = async (ctx: Context, { application, program, code, isOwnAct = true, entered, ...decision }: Approval) => {
  application.decide({ status: 'approved', ...decision }, ctx.clock.now());
  const { status } = program;
  if (status === 'archived') throw conflict('PROGRAM_INACTIVE', 'The program is archived', { status });
  const { affiliateId, profileId, source } = application;
  return createMembership(ctx, {
    affiliateId,
    profileId,
    program,
    source,
    code: code ?? application.requestedCode ?? undefined,
    isOwnAct,
    entered,
  });
};

/** The key or person that decides, or null for the operator. */
export const deciderOf = ({ actor }: Context): string | null => {
  const caller = findCaller(actor);
  return caller && callerIdOf(caller);
};

/** A decision about an application that waited, or was blocked. */
export const recordDecision = (ctx: Context, application: Application, before: ApplicationStatus): Promise<void> => {
  const { id: resourceId, merchantId: ownerId, affiliateId, status, note } = application;
  return recordChange(ctx, {
    ownerId,
    action: 'application.decided',
    resourceId,
    before: { status: before },
    after: { status, ...(status === 'approved' ? { affiliateId } : {}) },
    hidden: note === null || note === undefined ? [] : ['note'],
  });
};

/** The applicant learns of a decision, and the workflow that waits for it ends. */
export const announceDecision = async (ctx: Context, application: Application): Promise<void> => {
  await signalApplicationWorkflow(ctx, application);
  await tellDecision(ctx, application);
};

export const tellDecision = async (ctx: Context, application: Application): Promise<void> => {
  await emitApplication(ctx, 'application.decided', application);
  const { id: applicationId, merchantId, programId } = application;
  await emitInternal(ctx, { type: 'application.decided', applicationId, merchantId, programId });
};

/** The applicant is read unless given. */
export const emitApplication = async (
  ctx: Context,
  type: 'application.submitted' | 'application.decided',
  application: Application,
  applicant?: Applicant,
): Promise<void> => {
  const { merchantId, programId, profileId } = application;
  const data = toApplication(application, applicant ?? (await getApplicant(ctx, profileId)));
  await emit(ctx, { type, merchantId, programId, data });
};
