import type { Source } from '../../../contracts/affiliates.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { line } from '../../../platform/http/schemas.ts';
import { findProgram, type ProgramRecord } from '../../programs/index.ts';
import { Affiliate } from '../affiliate.entity.ts';
import type { AffiliateProfile } from '../affiliate-profile.entity.ts';
import { toAffiliate } from '../affiliates.wire.ts';
import { searchTextOf, sortNameOf } from '../search.ts';
import { findOrCreateProfile, type PersonInput } from './find-or-create-profile.ts';
import { reserveCode } from './reserve-code.ts';

export interface CreateAffiliateInput extends PersonInput {
  programId: string;
  /** Drawn from the name when left out. */
  code?: string | undefined;
  source: Source;
}

export interface CreatedAffiliate {
  profileId: string;
  affiliateId: string;
  code: string;
}

/**
 * Makes an approved member of a program. For a person who is a member already, it answers that membership and
 * changes and announces nothing.
 */
export const createAffiliate = (ctx: Context, input: CreateAffiliateInput): Promise<CreatedAffiliate> =>
  inTransaction(ctx, async (ctx) => {
    const program = await findProgram(ctx, input.programId);
    if (!program) throw notFound('Program');
    const name = line(100).safeParse(input.name);
    if (!name.success) throw invalidField('name', 'must be one line of 1 to 100 characters');
    const profile = await findOrCreateProfile(ctx, { ...input, name: name.data });
    const known = await ctx.em.findOne(Affiliate, { profileId: profile.id, programId: program.id });
    if (known) return { profileId: profile.id, affiliateId: known.id, code: known.code };
    const affiliateId = ctx.ids.next();
    const code = await reserveCode(ctx, { affiliateId, wanted: input.code, name: name.data });
    const affiliate = newAffiliate(ctx, { id: affiliateId, code, source: input.source, profile, program });
    await ctx.em.flush();
    const { merchantId } = program;
    const data = toAffiliate(affiliate, profile);
    await emit(ctx, { type: 'affiliate.joined', merchantId, programId: program.id, data });
    await emit(ctx, { type: 'affiliate.approved', merchantId, programId: program.id, data });
    return { profileId: profile.id, affiliateId, code };
  });

interface Membership {
  id: string;
  code: string;
  source: Source;
  profile: AffiliateProfile;
  program: ProgramRecord;
}

const newAffiliate = (ctx: Context, { profile, program, ...own }: Membership): Affiliate =>
  ctx.em.create(Affiliate, {
    ...own,
    profileId: profile.id,
    programId: program.id,
    merchantId: program.merchantId,
    status: 'approved',
    blockedAt: null,
    blockedReason: null,
    totalClicks: 0,
    totalConversions: 0,
    totalRevenue: 0,
    totalEarnings: 0,
    sortName: sortNameOf(profile),
    searchText: searchTextOf(own.code, profile),
    createdAt: ctx.clock.now(),
    updatedAt: ctx.clock.now(),
  });
