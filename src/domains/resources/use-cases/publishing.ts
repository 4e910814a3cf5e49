import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { type NotificationRejection, requestNotification } from '../notification.steps.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';

interface ResourceTarget {
  id: string;
  programId: string;
}

interface PublishResourceInput extends ResourceTarget {
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

const moveTo = (status: 'draft' | 'archived', ctx: Context, input: ResourceTarget): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const resource = await lockResource(ctx, input);
    resource.move(status, ctx.clock.now());
    return readResource(ctx, input.id);
  });

/** Makes the resource a draft, also an archived one. The second call changes nothing. */
export const unpublishResource = (ctx: Context, input: ResourceTarget): Promise<ResourceView> => moveTo('draft', ctx, input);

/** Hides the resource from affiliates and from lists that do not ask for archived ones. The second call changes nothing. */
export const archiveResource = (ctx: Context, input: ResourceTarget): Promise<ResourceView> => moveTo('archived', ctx, input);

/** Writes to every approved affiliate of the program about a published resource. */
export const notifyAffiliates = (ctx: Context, input: ResourceTarget): Promise<{ id: string }> =>
  inTransaction(ctx, async (ctx) => {
    const resource = await lockResource(ctx, input);
    if (resource.status !== 'published') throw conflict('NOT_PUBLISHED', 'Affiliates are notified of published resources only');
    const notification = await requestNotification(ctx, resource);
    if ('reason' in notification) throw conflict(notification.reason, notification.message, notification.details);
    return notification;
  });
