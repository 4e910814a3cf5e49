import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { type AffiliateView, toAffiliate } from '../affiliates.wire.ts';
import { lockAffiliate } from '../lock-affiliate.ts';

/** Blocks an affiliate. Blocking a blocked affiliate returns it unchanged and emits nothing. */
export const blockAffiliate = (ctx: Context, input: { id: string; reason?: string | undefined }): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile, totals } = await lockAffiliate(ctx, input.id);
    const changed = affiliate.block(input.reason ?? null, ctx.clock.now());
    const data = toAffiliate(affiliate, profile, totals);
    if (!changed) return data;
    const { merchantId, programId } = affiliate;
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'affiliate.blocked',
      resourceId: affiliate.id,
      before: { status: 'approved' },
      after: { status: 'blocked' },
      hidden: input.reason === undefined ? [] : ['blockedReason'],
    });
    await emit(ctx, { type: 'affiliate.blocked', merchantId, programId, data });
    return data;
  });
