import { isDeepStrictEqual } from 'node:util';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, emitInternal, inTransaction, profileOf } from '../../../platform/context.ts';
import { lockRow } from '../../../platform/database/lock-row.ts';
import { sql } from '../../../platform/database/sql.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import { Affiliate } from '../affiliate.entity.ts';
import { lockMembership } from '../affiliate-lookup.queries.ts';
import { AffiliateProfile } from '../affiliate-profile.entity.ts';
import { getPayoutInfo } from '../my-payout-info.queries.ts';
import { encryptPayoutInfo, openPayoutInfo, payoutDigestsOf } from '../payout-details.ts';
import { changePayoutInfo, hasSameDestination, type PayoutInfo, type PayoutInfoChanges } from '../payout-info.ts';
import type { PayoutInfoView } from '../payout-info.wire.ts';

/**
 * Changes the payout info of the caller. Payouts that exist keep the details with which they were created. A call that changes
 * nothing is no change: no cooldown begins.
 */
export const updatePayoutInfo = (ctx: Context, changes: PayoutInfoChanges): Promise<PayoutInfo> =>
  inTransaction(ctx, async (ctx) => {
    const profile = await lockOwnProfile(ctx);
    const current = openPayoutInfo(ctx, profile.id, profile.payoutDetails);
    const next = changePayoutInfo(current, changes);
    if (isDeepStrictEqual(current, next)) return next;
    const now = ctx.clock.now();
    const ciphertext = encryptPayoutInfo(ctx, { table: 'affiliate_profile', id: profile.id }, next);
    profile.setPayoutDetails(next.payoutMethod, { ciphertext, digests: payoutDigestsOf(ctx.cipher, next) }, now);
    if (hasSameDestination(current, next)) return next;
    profile.redirectPayouts(now);
    await recordChange(ctx, {
      ownerId: profile.id,
      action: 'profile.payout_details_changed',
      resourceId: profile.id,
      before: { payoutMethod: current.payoutMethod },
      after: { payoutMethod: next.payoutMethod },
      hidden: ['payoutDetails'],
    });
    await showProfileToOnlyMerchant(ctx, profile);
    await emitInternal(ctx, {
      type: 'payout.details_changed',
      profileId: profile.id,
      affiliateId: null,
      changeId: ctx.ids.next(),
      oldAddress: current.paypalEmail,
      newAddress: next.paypalEmail,
    });
    return next;
  });

/**
 * The caller says that the payout details are right: refusals of payouts that were created before no longer count. Throws
 * PAYOUT_DETAILS_MISSING when there is nothing to confirm.
 */
export const confirmPayoutInfo = (ctx: Context): Promise<PayoutInfoView> =>
  inTransaction(ctx, async (ctx) => {
    const profile = await lockOwnProfile(ctx);
    if (!profile.payoutMethod) throw conflict('PAYOUT_DETAILS_MISSING', 'There are no payout details to confirm');
    profile.confirmPayoutDetails(ctx.clock.now());
    await recordChange(ctx, { ownerId: profile.id, action: 'profile.payout_details_confirmed', resourceId: profile.id });
    return getPayoutInfo(ctx);
  });

/** UNAUTHORIZED when an erasure was faster, which revoked the key: nothing may be stored about the person again. */
const lockOwnProfile = async (ctx: Context): Promise<AffiliateProfile> => {
  const profile = await lockRow(ctx, AffiliateProfile, sql`id = ${profileOf(ctx)}::uuid and erased_at is null`);
  if (!profile) throw new AppError('UNAUTHORIZED', 'The API key has been revoked');
  return profile;
};

/**
 * Who enters where to be paid joins the programs that one merchant added them to. With several merchants, the entry does not
 * say which of them is meant, and anyone can add an address: there, the owner applies or claims an invite. The caller holds the
 * profile's lock.
 */
const showProfileToOnlyMerchant = async (ctx: Context, profile: AffiliateProfile): Promise<void> => {
  const hidden = await ctx.em.find(Affiliate, { profileId: profile.id, profileHidden: true }, { orderBy: { id: 'asc' } });
  const [first] = hidden;
  if (!first) return;
  const others = await ctx.em.count(Affiliate, { profileId: profile.id, merchantId: { $ne: first.merchantId } });
  if (others > 0) return;
  for (const affiliate of hidden) {
    await lockMembership(ctx, affiliate.id, 'change');
    affiliate.showProfile(profile, ctx.clock.now());
  }
};
