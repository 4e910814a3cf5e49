import { type Context, inTransaction } from '../../../platform/context.ts';
import { type NotificationRejection, requestNotification } from '../notification.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';

export interface PublishResourceInput {
  id: string;
  programId: string;
  notifyAffiliates: boolean;
}

export interface PublishedResource {
  resource: ResourceView;
  /** Null: not requested. */
  notification: { id: string } | NotificationRejection | null;
}

/** Shows the resource to the affiliates of its program. A notification that is refused does not stop the publication. */
export const publishResource = (
  ctx: Context,
  { notifyAffiliates, ...target }: PublishResourceInput,
): Promise<PublishedResource> =>
  inTransaction(ctx, async (ctx) => {
    const resource = await lockResource(ctx, target);
    resource.move('published', ctx.clock.now());
    const notification = notifyAffiliates ? await requestNotification(ctx, resource) : null;
    return { resource: await readResource(ctx, target.id), notification };
  });
