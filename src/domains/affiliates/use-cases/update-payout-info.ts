import { isDeepStrictEqual } from 'node:util';
import type { EntityData } from '@mikro-orm/core';
import { type Context, emitInternal, inTransaction, profileOf } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { AppError } from '../../../platform/errors.ts';
import { AffiliateProfile } from '../affiliate-profile.entity.ts';
import { encryptPayoutInfo } from '../payout-details.ts';
import { payoutDigestsOf } from '../payout-digests.ts';
import { openPayoutInfo } from '../payout-info.queries.ts';
import { changePayoutInfo, hasSameDestination, type PayoutInfo, type PayoutInfoChanges } from '../payout-info.ts';
import { showProfileToOnlyMerchant } from '../show-profile.ts';

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

/** UNAUTHORIZED when an erasure was faster, which revoked the key: nothing may be stored about the person again. */
const lockOwnProfile = async (ctx: Context): Promise<AffiliateProfile> => {
  const row = await firstRow(
    ctx.em,
    sql<EntityData<AffiliateProfile>>`select * from affiliate_profile where id = ${profileOf(ctx)}::uuid and erased_at is null
      for no key update`,
  );
  if (!row) throw new AppError('UNAUTHORIZED', 'The API key has been revoked');
  return ctx.em.map(AffiliateProfile, row);
};
