import { isDeepStrictEqual } from 'node:util';
import { DETAILS_COOLDOWN_MS } from '../../../contracts/people.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after } from '../../../platform/clock.ts';
import { type Context, emitInternal, inTransaction, profileOf } from '../../../platform/context.ts';
import { hashToken } from '../../../platform/crypto/token.ts';
import { lockRow } from '../../../platform/database/lock-row.ts';
import { sql } from '../../../platform/database/sql.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import { revokeKeysOf } from '../../auth/index.ts';
import { signOutEverywhere } from '../../people/index.ts';
import { Affiliate } from '../affiliate.entity.ts';
import { lockMembership } from '../affiliate-lookup.queries.ts';
import { AffiliateProfile } from '../affiliate-profile.entity.ts';
import { getPayoutInfo } from '../my-payout-info.queries.ts';
import { encryptPayoutInfo, openPayoutInfo, payoutDigestsOf } from '../payout-details.steps.ts';
import {
  changePayoutInfo,
  hasSameDestination,
  NO_PAYOUT_INFO,
  type PayoutInfo,
  type PayoutInfoChanges,
} from '../payout-info.rules.ts';
import type { PayoutInfoView } from '../payout-info.wire.ts';
import { openUndo, waitAfterChange } from '../payout-undo.steps.ts';

/**
 * Changes the payout info of the caller. Payouts that exist keep the details with which they were created. A call that changes
 * nothing is no change: no cooldown begins, nor does one with the first details.
 */
export const updatePayoutInfo = (ctx: Context, changes: PayoutInfoChanges): Promise<PayoutInfo> =>
  inTransaction(ctx, async (ctx) => {
    const profile = await lockOwnProfile(ctx);
    const current = openPayoutInfo(ctx, profile.id, profile.payoutDetails);
    const next = changePayoutInfo(current, changes);
    if (isDeepStrictEqual(current, next)) return next;
    storePayoutInfo(ctx, profile, next);
    if (hasSameDestination(current, next)) return next;
    const isFirst = await isFirstEntry(ctx, profile, current);
    if (!isFirst) profile.redirectPayouts(ctx.clock.now());
    const undo = isFirst ? null : await waitAfterChange(ctx, profile, current);
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
      undo,
    });
    return next;
  });

const storePayoutInfo = (ctx: Context, profile: AffiliateProfile, info: PayoutInfo): void => {
  const ciphertext = encryptPayoutInfo(ctx, { table: 'affiliate_profile', id: profile.id }, info);
  profile.setPayoutDetails(info.payoutMethod, { ciphertext, digests: payoutDigestsOf(ctx.cipher, info) }, ctx.clock.now());
};

/** Whether nobody has said before where the person is paid: neither they nor a merchant. */
const isFirstEntry = async (ctx: Context, profile: AffiliateProfile, current: PayoutInfo): Promise<boolean> =>
  !profile.payoutDetailsChangedAt &&
  hasSameDestination(current, NO_PAYOUT_INFO) &&
  (await ctx.em.count(Affiliate, { profileId: profile.id, payoutMethod: { $ne: null } })) === 0;

/**
 * Brings back the details before the changes whose mail has the link, and signs the person out everywhere: whoever changed them may be
 * signed in. Passkeys and keys of the person from 72 hours before the first of these changes, or later, are removed and revoked. NOT_FOUND
 * once it was used, or the cooldown has ended.
 */
export const restorePayoutInfo = (ctx: Context, { token }: { token: string }): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const profile = await lockRow(ctx, AffiliateProfile, sql`payout_undo_hash = ${hashToken(token)} and erased_at is null`);
    const open = profile && openUndo(ctx, profile);
    if (!open) throw new AppError('NOT_FOUND', 'This link is not valid any more');
    const { before, startedAt } = open.undo;
    const { payoutMethod } = profile;
    storePayoutInfo(ctx, profile, before);
    profile.redirectPayouts(ctx.clock.now());
    profile.endCooldown();
    await recordChange(ctx, {
      ownerId: profile.id,
      action: 'profile.payout_details_restored',
      resourceId: profile.id,
      before: { payoutMethod },
      after: { payoutMethod: before.payoutMethod },
      hidden: ['payoutDetails'],
    });
    const { id: ownerId, email: address } = profile;
    const since = after(new Date(startedAt), -ctx.settings.scaled(DETAILS_COOLDOWN_MS));
    const personId = await signOutEverywhere(ctx, { address, since, ownerId });
    if (personId) await revokeKeysOf(ctx, { personId, ownerId, since });
    await emitInternal(ctx, { type: 'payout.details_restored', profileId: profile.id, changeId: ctx.ids.next() });
    return { success: true };
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
