import type { ApplicationTiming, RiskNote } from '../../contracts/applications.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import { type Context, emit } from '../../platform/context.ts';
import { searchTextOf } from '../../platform/search-text.ts';
import { allotMembership } from '../affiliates/index.ts';
import type { ProgramRecord } from '../programs/index.ts';
import { Application, type OwnAct } from './application.entity.ts';
import { type Applicant, toApplication } from './applications.wire.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    applicationTiming: ApplicationTiming;
  }
}

/** How long after its deadline an application keeps the requested code: the workflow that declines it may be late. */
const CODE_KEPT_MS = 30 * DAY_MS;

interface NewApplication extends OwnAct {
  program: ProgramRecord;
  profileId: string;
  applicant: Applicant;
  source: Application['source'];
  message?: string | undefined;
  requestedCode?: string | undefined;
  codeHolderId?: string | undefined;
  riskNotes: RiskNote[];
}

/**
 * A pending application, stored with the next flush, and the id of its membership. CODE_TAKEN when the requested code is in
 * use. The caller holds the applicant's lock.
 */
export const newApplication = async (ctx: Context, input: NewApplication): Promise<Application> => {
  const { program, applicant, codeHolderId: holderId } = input;
  const now = ctx.clock.now();
  const dueAt = after(now, ctx.settings.applicationTiming.expireAfterMs);
  const application = ctx.em.create(Application, {
    id: ctx.ids.next(),
    merchantId: program.merchantId,
    programId: program.id,
    profileId: input.profileId,
    affiliateId: await allotMembership(ctx, input.requestedCode, { until: after(dueAt, CODE_KEPT_MS), holderId }),
    status: 'pending',
    source: input.source,
    message: input.message ?? null,
    inviteId: input.inviteId ?? null,
    requestedCode: input.requestedCode ?? null,
    answers: input.answers ?? null,
    acceptedTerms: input.acceptedTerms ?? null,
    riskNotes: input.riskNotes,
    searchText: searchTextOf(applicant.name, applicant.email),
    createdAt: now,
    dueAt,
    updatedAt: now,
  });
  const data = toApplication(application, applicant);
  await emit(ctx, { type: 'affiliate.joined', merchantId: program.merchantId, programId: program.id, data });
  return application;
};
