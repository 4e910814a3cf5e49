import { isDeepStrictEqual } from 'node:util';
import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import type { Affiliate, AffiliateSettings } from '../affiliate.entity.ts';
import { AffiliateProfile } from '../affiliate-profile.entity.ts';
import { getAffiliate } from '../affiliates.queries.ts';
import type { AffiliateDetailView } from '../affiliates.wire.ts';
import { assertExternalIdIsFree } from '../external-id.steps.ts';
import { lockAffiliate } from '../lock-affiliate.steps.ts';
import { decryptPayoutInfo, encryptPayoutInfo } from '../payout-details.steps.ts';
import { type EnteredDetails, enterDetails, hasSameDestination, NO_PAYOUT_INFO } from '../payout-info.rules.ts';

export interface UpdateAffiliateInput {
  id: string;
  changes: AffiliateSettings & EnteredDetails;
}

/** Applies the terms of one affiliate. They concern later conversions and payouts, never those that exist already. */
export const updateAffiliate = (ctx: Context, { id, changes }: UpdateAffiliateInput): Promise<AffiliateDetailView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate } = await lockAffiliate(ctx, id);
    const { paypalEmail, bankAccountHolder, bankIban, bankBic, ...settings } = changes;
    const { programId } = affiliate;
    if (settings.externalId) {
      await assertExternalIdIsFree(ctx, { programId, externalId: settings.externalId, affiliateId: id });
    }
    await changeSettings(ctx, affiliate, settings);
    const details = { paypalEmail, bankAccountHolder, bankIban, bankBic };
    if (Object.values(details).some((value) => value !== undefined)) await changeDetails(ctx, affiliate, details);
    return getAffiliate(ctx, id, false);
  });

const changeSettings = async (ctx: Context, affiliate: Affiliate, settings: AffiliateSettings): Promise<void> => {
  const [shown, texts] = [
    ['commissionPercent', 'payoutsPaused'],
    ['externalId', 'metadata'],
  ] as const;
  const [before, oldTexts] = [valuesOf(affiliate, shown), valuesOf(affiliate, texts)];
  affiliate.change(settings, ctx.clock.now());
  const { id: resourceId, merchantId: ownerId } = affiliate;
  const hidden = texts.filter((name) => !isDeepStrictEqual(oldTexts[name] ?? null, affiliate[name] ?? null));
  const after = valuesOf(affiliate, shown);
  await recordChange(ctx, { ownerId, action: 'affiliate.updated', resourceId, before, after, hidden });
};

/**
 * Corrects what the merchant entered. The person is told, at the PayPal address before the change too. DETAILS_OWNED_BY_AFFILIATE
 * when the person has entered details, or joined without any of the merchant's.
 */
const changeDetails = async (ctx: Context, affiliate: Affiliate, changes: EnteredDetails): Promise<void> => {
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: affiliate.profileId });
  const entered = affiliate.payoutDetails ?? null;
  const isOwners = !affiliate.profileHidden && (entered === null || (profile.payoutMethod ?? null) !== null);
  if (isOwners || profile.erasedAt) {
    throw conflict('DETAILS_OWNED_BY_AFFILIATE', 'The affiliate says where they are paid, with PATCH /me/payout-info');
  }
  const owner = { table: 'affiliate', id: affiliate.id } as const;
  const current = entered === null ? NO_PAYOUT_INFO : decryptPayoutInfo(ctx, owner, entered);
  const next = enterDetails(current, changes);
  if (hasSameDestination(current, next)) return confirmDetails(ctx, affiliate);
  await recordChange(ctx, {
    ownerId: affiliate.merchantId,
    action: 'affiliate.payout_details_changed',
    resourceId: affiliate.id,
    before: { payoutMethod: current.payoutMethod },
    after: { payoutMethod: next.payoutMethod },
    hidden: ['payoutDetails'],
  });
  const author = { by: actorName(ctx.actor), at: ctx.clock.now() };
  affiliate.enterPayoutDetails(next.payoutMethod, encryptPayoutInfo(ctx, owner, next), author);
  await emitInternal(ctx, {
    type: 'payout.details_changed',
    profileId: profile.id,
    affiliateId: affiliate.id,
    changeId: ctx.ids.next(),
    oldAddress: current.paypalEmail,
    newAddress: next.paypalEmail,
    undo: null,
  });
};

/** The merchant entered the same details again: they are right. */
const confirmDetails = async (ctx: Context, affiliate: Affiliate): Promise<void> => {
  if (!affiliate.payoutMethod) return;
  affiliate.confirmPayoutDetails(ctx.clock.now());
  const { merchantId: ownerId, id: resourceId } = affiliate;
  await recordChange(ctx, { ownerId, action: 'affiliate.payout_details_confirmed', resourceId });
};
