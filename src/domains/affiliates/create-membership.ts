import type { Source } from '../../contracts/affiliates.ts';
import { type Context, emit } from '../../platform/context.ts';
import type { ProgramRecord } from '../programs/index.ts';
import { Affiliate } from './affiliate.entity.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';
import { type AffiliateTotals, type AffiliateView, toAffiliate } from './affiliates.wire.ts';
import { reserveCode } from './reserve-code.ts';
import { searchTextOf, sortNameOf } from './search.ts';

interface NewMembership {
  /** As `allotMembership` returned it. */
  affiliateId: string;
  profileId: string;
  program: ProgramRecord;
  source: Source;
  /** As given to `allotMembership`; random when omitted. */
  code?: string | undefined;
}

/**
 * Allots the id of a membership that may be created later, and reserves its code when one was chosen: CODE_TAKEN when it is
 * in use. A reserved code is never given to anybody else.
 */
const allotMembership = async (ctx: Context, code: string | undefined): Promise<string> => {
  const affiliateId = ctx.ids.next();
  if (code !== undefined) await reserveCode(ctx, { affiliateId, requested: code });
  return affiliateId;
};

/**
 * Makes a person an approved affiliate of a program, in the caller's transaction. The listeners of `affiliate.approved` give
 * them their first link. A person is an affiliate of a program once: the caller has checked it under its own lock.
 */
const createMembership = async (ctx: Context, input: NewMembership): Promise<AffiliateView> => {
  const { affiliateId, profileId, program, source } = input;
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: profileId });
  const code = await reserveCode(ctx, { affiliateId, requested: input.code });
  const now = ctx.clock.now();
  const affiliate = ctx.em.create(Affiliate, {
    id: affiliateId,
    profileId,
    programId: program.id,
    merchantId: program.merchantId,
    code,
    source,
    sortName: sortNameOf(profile),
    searchText: searchTextOf(code, profile),
    createdAt: now,
    updatedAt: now,
  });
  await ctx.em.flush();
  const data = toAffiliate(affiliate, profile, NO_TOTALS);
  await emit(ctx, { type: 'affiliate.approved', merchantId: program.merchantId, programId: program.id, data });
  return data;
};

const NO_TOTALS: AffiliateTotals = { totalClicks: 0, totalConversions: 0, totalRevenue: 0, totalEarnings: 0 };

/** A membership is allotted with the application of a person, and created with its approval. */
export const MEMBERSHIPS = { allotMembership, createMembership } as const;
