import type { Source } from '../../contracts/affiliates.ts';
import { actorName, type Context, emit } from '../../platform/context.ts';
import type { ProgramRecord } from '../programs/index.ts';
import { Affiliate } from './affiliate.entity.ts';
import { lockMembership } from './affiliate-lookup.queries.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';
import { type AffiliateTotals, type AffiliateView, toAffiliate } from './affiliates.wire.ts';
import { assertExternalIdIsFree } from './external-id.steps.ts';
import { encryptPayoutInfo } from './payout-details.steps.ts';
import { type EnteredDetails, enterDetails, NO_PAYOUT_INFO } from './payout-info.rules.ts';
import { type CodeReservation, reserveCode } from './reserve-code.steps.ts';

export interface NewMembership {
  /** As `allotMembership` returned it. */
  affiliateId: string;
  profileId: string;
  program: ProgramRecord;
  source: Source;
  /** As given to `allotMembership`; made from the name when omitted. */
  code?: string | undefined;
  /** Whether the person takes part by an act of their own. */
  isOwnAct: boolean;
  /** Given when the merchant adds the person. */
  entered?: EnteredPerson | undefined;
}

/** What the merchant says about a person. It belongs to the membership, and pays only that merchant's payouts. */
export interface EnteredPerson {
  name: string | null;
  details: EnteredDetails;
  externalId?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  /** Until the owner joins with a key of their own, nothing of the profile is shown or used. */
  profileHidden: boolean;
}

/**
 * Allots the id of a membership that may be created later, and reserves its code when one was chosen: CODE_TAKEN when it is
 * in use. Nobody else gets a reserved code before the reservation ends.
 */
export const allotMembership = async (
  ctx: Context,
  code: string | undefined,
  reservation: CodeReservation = {},
): Promise<string> => {
  const affiliateId = ctx.ids.next();
  if (code !== undefined) await reserveCode(ctx, { ...reservation, affiliateId, requested: code });
  return affiliateId;
};

/**
 * Makes a person an approved affiliate of a program, in the caller's transaction. The listeners of `affiliate.approved` give
 * them their first link. A person is an affiliate of a program once: the caller has checked it under its own lock.
 */
export const createMembership = async (ctx: Context, input: NewMembership): Promise<AffiliateView> => {
  const { affiliateId, profileId, program, source, entered } = input;
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: profileId });
  const name = (entered?.profileHidden ? null : profile.name) ?? entered?.name;
  const code = await reserveCode(ctx, { affiliateId, requested: input.code, name });
  if (entered?.externalId) await assertExternalIdIsFree(ctx, { programId: program.id, externalId: entered.externalId });
  const now = ctx.clock.now();
  const affiliate = ctx.em.create(Affiliate, {
    id: affiliateId,
    profileId,
    programId: program.id,
    merchantId: program.merchantId,
    code,
    source,
    payoutsPaused: false,
    trustTier: 'new',
    joinedAt: input.isOwnAct ? now : null,
    ...(entered ? toColumns(ctx, affiliateId, entered) : {}),
    sortName: '',
    searchText: '',
    createdAt: now,
    updatedAt: now,
  });
  affiliate.indexPerson(profile);
  const data = toAffiliate(affiliate, affiliate.personOf(profile), NO_TOTALS);
  await emit(ctx, { type: 'affiliate.approved', merchantId: program.merchantId, programId: program.id, data });
  return data;
};

const toColumns = (ctx: Context, id: string, { details, ...person }: EnteredPerson) => {
  const info = enterDetails(NO_PAYOUT_INFO, details);
  const { payoutMethod } = info;
  if (payoutMethod === null) return { ...person, payoutMethod, payoutDetails: null };
  const payoutDetails = encryptPayoutInfo(ctx, { table: 'affiliate', id }, info);
  return { ...person, payoutMethod, payoutDetails, accountEnteredBy: actorName(ctx.actor), accountEnteredAt: ctx.clock.now() };
};

/**
 * The owner of a membership that the merchant added joins it with a key of their own. False when they have. The caller holds the
 * profile's lock.
 */
export const acceptMembership = async (ctx: Context, affiliateId: string): Promise<boolean> => {
  await lockMembership(ctx, affiliateId, 'change');
  const affiliate = await ctx.em.findOneOrFail(Affiliate, { id: affiliateId }, { refresh: true });
  if (!affiliate.profileHidden) return false;
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: affiliate.profileId });
  affiliate.showProfile(profile, ctx.clock.now());
  return true;
};

const NO_TOTALS: AffiliateTotals = { totalClicks: 0, totalConversions: 0, totalRevenue: 0, totalEarnings: 0 };
