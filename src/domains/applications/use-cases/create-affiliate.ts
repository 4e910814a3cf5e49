import type { Source } from '../../../contracts/affiliates.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { nameLine } from '../../../platform/http/schemas.ts';
import { findAffiliate, findOrCreateProfile } from '../../affiliates/index.ts';
import { findProgram } from '../../programs/index.ts';
import { getStanding } from '../applicant.queries.ts';
import { announceDecision, approve, deciderOf } from '../decision.steps.ts';
import { lockLatestApplication } from '../lock-application.steps.ts';
import { newApplication } from '../new-application.steps.ts';

type Person = Parameters<typeof findOrCreateProfile>[1];

export interface CreateAffiliateInput extends Person {
  programId: string;
  /** Made from the name when omitted. */
  code?: string | undefined;
  source: Source;
}

export interface CreatedAffiliate {
  profileId: string;
  affiliateId: string;
  code: string;
}

/**
 * Adds a person to a program as an approved affiliate: approves the application that waits or is blocked, if there is one.
 * When the person already is an affiliate, it returns that affiliate, changes nothing and emits nothing.
 */
export const createAffiliate = (ctx: Context, input: CreateAffiliateInput): Promise<CreatedAffiliate> =>
  inTransaction(ctx, async (ctx) => {
    const program = await findProgram(ctx, input.programId);
    if (!program) throw notFound('Program');
    const name = nameLine(100).safeParse(input.name);
    if (!name.success) throw invalidField('name', 'must be one line of 1 to 100 characters');
    const profile = await findOrCreateProfile(ctx, { ...input, name: name.data });
    const profileId = profile.id;
    const latest = await lockLatestApplication(ctx, { programId: program.id, profileId });
    const { affiliateId } = await getStanding(ctx, { programId: program.id, profileId });
    const existing = affiliateId && (await findAffiliate(ctx, affiliateId));
    if (existing) return { profileId, affiliateId: existing.id, code: existing.code };
    const { source, code } = input;
    const waiting = latest && (latest.status === 'pending' || latest.status === 'blocked') ? latest : null;
    const application =
      waiting ??
      (await newApplication(ctx, { program, profileId, applicant: profile, source, requestedCode: code, riskNotes: [] }));
    const decision = { by: deciderOf(ctx), lifts: true, isOwnAct: waiting !== null };
    const created = await approve(ctx, { application, program, code, ...decision });
    await recordChange(ctx, {
      ownerId: program.merchantId,
      action: 'affiliate.added',
      resourceId: application.affiliateId,
      after: { programId: program.id, applicationId: waiting?.id },
    });
    if (waiting) await announceDecision(ctx, application);
    return { profileId, affiliateId: application.affiliateId, code: created.code };
  });
