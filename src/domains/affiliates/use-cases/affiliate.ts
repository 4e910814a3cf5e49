import type { TrustTier } from '../../../contracts/affiliates.ts';
import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import type { Affiliate } from '../affiliate.entity.ts';
import { getAffiliate } from '../affiliates.queries.ts';
import { type AffiliateView, toAffiliate } from '../affiliates.wire.ts';
import { lockAffiliate } from '../lock-affiliate.steps.ts';

/** Changes nothing: an affiliate exists once an application is approved. AFFILIATE_BLOCKED for a blocked one. */
export const approveAffiliate = async (ctx: Context, input: { id: string }): Promise<AffiliateView> => {
  const affiliate = await getAffiliate(ctx, input.id, false);
  if (affiliate.status === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'The affiliate is blocked: unblock it instead');
  return affiliate;
};

/** Blocks an affiliate. Blocking a blocked affiliate returns it unchanged and emits nothing. */
export const blockAffiliate = (
  ctx: Context,
  { id, reason }: { id: string; reason?: string | undefined },
): Promise<AffiliateView> =>
  changeStatus(ctx, id, {
    type: 'affiliate.blocked',
    apply: (affiliate, now) => affiliate.block(reason ?? null, now),
    hidden: reason === undefined ? [] : ['blockedReason'],
  });

/** Restores a blocked affiliate with their code, balances and totals. Unblocking an approved affiliate changes nothing. */
export const unblockAffiliate = (ctx: Context, { id }: { id: string }): Promise<AffiliateView> =>
  changeStatus(ctx, id, { type: 'affiliate.unblocked', apply: (affiliate, now) => affiliate.unblock(now) });

interface StatusChange {
  type: 'affiliate.blocked' | 'affiliate.unblocked';
  /** False: it has the status already. */
  apply(affiliate: Affiliate, now: Date): boolean;
  hidden?: string[];
}

const changeStatus = (ctx: Context, id: string, { type, apply, hidden }: StatusChange): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile, totals } = await lockAffiliate(ctx, id);
    const before = valuesOf(affiliate, ['status']);
    const changed = apply(affiliate, ctx.clock.now());
    const data = toAffiliate(affiliate, profile, totals);
    if (!changed) return data;
    const { merchantId, programId } = affiliate;
    const after = valuesOf(affiliate, ['status']);
    await recordChange(ctx, { ownerId: merchantId, action: type, resourceId: id, before, after, hidden: hidden ?? [] });
    await emit(ctx, { type, merchantId, programId, data });
    return data;
  });

/** Sets the trust tier manually. A tier below the present one, and `new` in any case, makes the record count anew. */
export const setAffiliateTrust = (ctx: Context, { id, tier }: { id: string; tier: TrustTier }): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile, totals } = await lockAffiliate(ctx, id);
    const before = valuesOf(affiliate, ['trustTier', 'trustResetAt']);
    affiliate.setTrust(tier, ctx.clock.now());
    const after = valuesOf(affiliate, ['trustTier', 'trustResetAt']);
    await recordChange(ctx, { ownerId: affiliate.merchantId, action: 'affiliate.updated', resourceId: id, before, after });
    return toAffiliate(affiliate, profile, totals);
  });
