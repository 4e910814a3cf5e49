import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { type AffiliateView, toAffiliate } from '../affiliates.wire.ts';
import { lockAffiliate } from '../lock-affiliate.ts';

/** Restores a blocked affiliate with their code, balances and totals. Unblocking an approved affiliate changes nothing. */
export const unblockAffiliate = (ctx: Context, input: { id: string }): Promise<AffiliateView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliate, profile, totals } = await lockAffiliate(ctx, input.id);
    const changed = affiliate.unblock(ctx.clock.now());
    const data = toAffiliate(affiliate, profile, totals);
    if (!changed) return data;
    const { merchantId, programId } = affiliate;
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'affiliate.unblocked',
      resourceId: affiliate.id,
      before: { status: 'blocked' },
      after: { status: 'approved' },
    });
    await emit(ctx, { type: 'affiliate.unblocked', merchantId, programId, data });
    return data;
  });
