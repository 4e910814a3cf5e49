import type { Source } from '../../../contracts/affiliates.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { line } from '../../../platform/http/schemas.ts';
import { findProgram, type ProgramRecord } from '../../programs/index.ts';
import { Affiliate } from '../affiliate.entity.ts';
import type { AffiliateProfile } from '../affiliate-profile.entity.ts';
import { type AffiliateTotals, toAffiliate } from '../affiliates.wire.ts';
import { findOrCreateProfile, type PersonInput } from '../find-or-create-profile.ts';
import { reserveCode } from '../reserve-code.ts';
import { searchTextOf, sortNameOf } from '../search.ts';

export interface CreateAffiliateInput extends PersonInput {
  programId: string;
  /** Generated from the name when omitted. */
  code?: string | undefined;
  source: Source;
}

export interface CreatedAffiliate {
  profileId: string;
  affiliateId: string;
  code: string;
}

/**
 * Adds a person to a program as an approved affiliate. When the person already is one, it returns that affiliate,
 * changes nothing and emits nothing.
 */
export const createAffiliate = (ctx: Context, input: CreateAffiliateInput): Promise<CreatedAffiliate> =>
  inTransaction(ctx, async (ctx) => {
    const program = await findProgram(ctx, input.programId);
    if (!program) throw notFound('Program');
    const name = line(100).safeParse(input.name);
    if (!name.success) throw invalidField('name', 'must be one line of 1 to 100 characters');
    const profile = await findOrCreateProfile(ctx, { ...input, name: name.data });
    const existing = await ctx.em.findOne(Affiliate, { profileId: profile.id, programId: program.id });
    if (existing) return { profileId: profile.id, affiliateId: existing.id, code: existing.code };
    const affiliateId = ctx.ids.next();
    const code = await reserveCode(ctx, { affiliateId, requested: input.code, name: name.data });
    const affiliate = newAffiliate(ctx, { id: affiliateId, code, source: input.source, profile, program });
    await ctx.em.flush();
    const { merchantId } = program;
    const data = toAffiliate(affiliate, profile, NO_TOTALS);
    await emit(ctx, { type: 'affiliate.joined', merchantId, programId: program.id, data });
    await emit(ctx, { type: 'affiliate.approved', merchantId, programId: program.id, data });
    return { profileId: profile.id, affiliateId, code };
  });

const NO_TOTALS: AffiliateTotals = { totalClicks: 0, totalConversions: 0, totalRevenue: 0, totalEarnings: 0 };

interface NewAffiliate {
  id: string;
  code: string;
  source: Source;
  profile: AffiliateProfile;
  program: ProgramRecord;
}

const newAffiliate = (ctx: Context, { profile, program, ...own }: NewAffiliate): Affiliate =>
  ctx.em.create(Affiliate, {
    ...own,
    profileId: profile.id,
    programId: program.id,
    merchantId: program.merchantId,
    sortName: sortNameOf(profile),
    searchText: searchTextOf(own.code, profile),
    createdAt: ctx.clock.now(),
    updatedAt: ctx.clock.now(),
  });
