import { type Context, inTransaction } from '../../../platform/context.ts';
import type { MerchantChanges } from '../merchant.entity.ts';
import { findBillingRequirement } from '../merchant-billing.queries.ts';
import { lockMerchant, recordMerchantChange } from '../merchant-changes.ts';
import { type MerchantView, toMerchant } from '../merchants.wire.ts';
import { assertApprovable } from '../payout-rules.ts';

/** New defaults apply to programs created from now on; existing programs keep their settings. */
export const updateMerchant = (ctx: Context, input: { id: string; changes: MerchantChanges }): Promise<MerchantView> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await lockMerchant(ctx, input.id);
    await assertApprovable(ctx, input.id, input.changes.payoutApprovalThreshold);
    await recordMerchantChange(ctx, merchant, () => merchant.change(input.changes, ctx.clock.now()));
    return toMerchant(merchant, await findBillingRequirement(ctx, merchant));
  });
