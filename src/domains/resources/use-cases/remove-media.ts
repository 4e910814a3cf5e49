import { type Context, inTransaction } from '../../../platform/context.ts';
import { deleteMedia, findIn, listMedia } from '../media.ts';
import { lockResource } from '../resources.queries.ts';
import { discardFiles } from '../upload.ts';

/** The file is shown nowhere from the commit on. */
export const removeMedia = (
  ctx: Context,
  input: { resourceId: string; programId: string; mediaId: string },
): Promise<{ id: string }> =>
  inTransaction(ctx, async (ctx) => {
    const { resourceId, programId, mediaId } = input;
    const post = await lockResource(ctx, { id: resourceId, programId, kind: 'social_post' });
    const { id, fileId } = findIn(await listMedia(ctx, resourceId), mediaId);
    await deleteMedia(ctx, id);
    await discardFiles(ctx, [fileId]);
    post.touch(ctx.clock.now());
    return { id };
  });
