import type { NotificationName, NotificationPreferences } from '../../../contracts/notifications.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockMerchant, recordMerchantChange } from '../merchant-changes.ts';

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
