import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { requestNotification } from '../notification.ts';
import { lockResource } from '../resources.queries.ts';

/** Writes to every approved affiliate of the program about a published resource. */
export const notifyAffiliates = (ctx: Context, input: { id: string; programId: string }): Promise<{ id: string }> =>
  inTransaction(ctx, async (ctx) => {
    const resource = await lockResource(ctx, input);
    if (resource.status !== 'published') throw conflict('NOT_PUBLISHED', 'Affiliates are notified of published resources only');
    const notification = await requestNotification(ctx, resource);
    if ('reason' in notification) throw conflict(notification.reason, notification.message, notification.details);
    return notification;
  });
