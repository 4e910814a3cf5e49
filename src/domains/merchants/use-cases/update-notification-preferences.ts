import { LockMode } from '@mikro-orm/core';
import type { NotificationName, NotificationPreferences } from '../../../contracts/notifications.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { Merchant } from '../merchant.entity.ts';

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
    const merchant = await ctx.em.findOne(Merchant, { id: input.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!merchant) throw notFound('Merchant');
    const preferences = merchant.changeNotifications(input.changes, ctx.clock.now());
    await ctx.em.flush();
    return preferences;
  });
