import type { NotificationName, NotificationPreferences } from '../../../contracts/notifications.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { findBillingRequirement } from '../merchant-billing.queries.ts';
import { changeSettings, lockMerchant, recordMerchantChange } from '../merchant-changes.steps.ts';
import { type MerchantView, toMerchant } from '../merchants.wire.ts';
import { assertApprovable } from '../payout-rules.steps.ts';
import { postponeLooser } from '../pending-changes.steps.ts';
import { type GivenChanges, withChosenRails } from '../rail-choice.steps.ts';

/**
 * New defaults apply to programs created from now on; existing programs keep their settings. What makes payouts less safe becomes a
 * pending change, and the setting stays as it is for now. Throws NO_SECOND_ACTOR for an approval threshold, and VALIDATION_ERROR for a rail
 * that cannot be chosen.
 */
export const updateMerchant = (ctx: Context, input: { id: string; changes: GivenChanges }): Promise<MerchantView> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await lockMerchant(ctx, input.id);
    const changes = withChosenRails(ctx, merchant, input.changes);
    await assertApprovable(ctx, input.id, changes.payoutApprovalThreshold);
    await changeSettings(ctx, merchant, await postponeLooser(ctx, merchant, changes));
    return toMerchant(merchant, await findBillingRequirement(ctx, merchant));
  });

export interface UpdateNotificationPreferencesInput {
  id: string;
  changes: { [N in NotificationName]?: boolean | undefined };
}

/** Applies to emails that are written from now on. */
export const updateNotificationPreferences = (
  ctx: Context,
  input: UpdateNotificationPreferencesInput,
): Promise<NotificationPreferences> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await lockMerchant(ctx, input.id);
    return recordMerchantChange(ctx, merchant, () => merchant.changeNotifications(input.changes, ctx.clock.now()));
  });
