import { type Context, inTransaction } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { listMedia, orderMedia } from '../media.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { MediaView } from '../resources.wire.ts';

export interface ReorderMediaInput {
  resourceId: string;
  programId: string;
  /** All media of the post, each once. */
  mediaIds: readonly string[];
}

/** Returns the media in their new order. */
export const reorderMedia = (ctx: Context, { resourceId, programId, mediaIds }: ReorderMediaInput): Promise<MediaView[]> =>
  inTransaction(ctx, async (ctx) => {
    const post = await lockResource(ctx, { id: resourceId, programId, kind: 'social_post' });
    const media = await listMedia(ctx, resourceId);
    const isComplete = media.length === mediaIds.length && media.every(({ id }) => mediaIds.includes(id));
    if (!isComplete) throw invalidField('media_ids', 'must name all media of the post, each once');
    if (media.some(({ id, sortOrder }) => mediaIds[sortOrder] !== id)) {
      await orderMedia(ctx, mediaIds);
      post.touch(ctx.clock.now());
    }
    return (await readResource(ctx, resourceId)).media;
  });
