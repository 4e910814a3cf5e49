import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { type EnteredDetails, findOrCreateProfile, getAffiliate } from '../../affiliates/index.ts';
import { assertMayAddAffiliates } from '../../merchants/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { getStanding } from '../applicant.queries.ts';
import { announceDecision, approve, deciderOf } from '../decision.steps.ts';
import { lockLatestApplication } from '../lock-application.steps.ts';
import { newApplication } from '../new-application.steps.ts';

export interface AddAffiliateInput extends EnteredDetails {
  programId: string;
  email: string;
  name?: string | undefined;
  /** Made from the name when omitted. */
  code?: string | undefined;
  externalId?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
}

const hiddenOf = ({ programId: _, code: __, ...entered }: AddAffiliateInput): string[] =>
  Object.entries(entered).flatMap(([name, value]) => (value === undefined || value === null ? [] : [name]));

/**
 * Adds a person to a program of the merchant as an approved affiliate: approves the application that waits or is blocked, if
 * there is one. A profile that exists is neither changed nor shown: what the merchant enters belongs to the membership.
 */
export const addAffiliate = (ctx: Context, input: AddAffiliateInput) =>
  inTransaction(ctx, async (ctx) => {
    const program = await readOwnedProgram(ctx, input.programId);
    await assertMayAddAffiliates(ctx, program.merchantId);
    const profile = await findOrCreateProfile(ctx, { email: input.email });
    const person = { programId: program.id, profileId: profile.id };
    const latest = await lockLatestApplication(ctx, person);
    const { affiliateId } = await getStanding(ctx, person);
    if (affiliateId) throw conflict('ALREADY_MEMBER', 'This person is already an affiliate of the program', { affiliateId });
    const applied = latest && (latest.status === 'pending' || latest.status === 'blocked') ? latest : null;
    const { name, code, paypalEmail, bankAccountHolder, bankIban, bankBic, externalId, metadata } = input;
    const applicant = { userId: profile.userId, email: profile.email, name };
    const application =
      applied ??
      (await newApplication(ctx, {
        program,
        profileId: profile.id,
        applicant,
        source: 'api',
        requestedCode: code,
        riskNotes: [],
      }));
    // Who applied has shown who they are.
    const entered = {
      name: name ?? null,
      details: { paypalEmail, bankAccountHolder, bankIban, bankBic },
      externalId,
      metadata,
      profileHidden: applied === null,
    };
    const decision = { by: deciderOf(ctx), lifts: true, isOwnAct: applied !== null };
    const added = await approve(ctx, { application, program, code, ...decision, entered });
    await recordChange(ctx, {
      ownerId: program.merchantId,
      action: 'affiliate.added',
      resourceId: added.id,
      after: { programId: program.id, applicationId: applied?.id },
      hidden: hiddenOf(input),
    });
    if (applied) await announceDecision(ctx, application);
    return getAffiliate(ctx, added.id, false);
  });
