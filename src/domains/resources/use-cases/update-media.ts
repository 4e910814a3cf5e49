import { type Context, inTransaction } from '../../../platform/context.ts';
import { changeMedia, findIn, listMedia } from '../media.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';

export interface UpdateMediaInput {
  resourceId: string;
  programId: string;
  mediaId: string;
  /** Undefined leaves it unchanged. */
  altText: string | null | undefined;
}

export const updateMedia = (ctx: Context, input: UpdateMediaInput): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const { resourceId, programId, mediaId, altText } = input;
    const post = await lockResource(ctx, { id: resourceId, programId, kind: 'social_post' });
    const media = findIn(await listMedia(ctx, resourceId), mediaId);
    if (altText !== undefined && altText !== media.altText) {
      await changeMedia(ctx, { ...media, altText });
      post.touch(ctx.clock.now());
    }
    return readResource(ctx, resourceId);
  });
