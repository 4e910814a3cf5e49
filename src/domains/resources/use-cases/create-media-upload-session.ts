import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockResource } from '../resources.queries.ts';
import { type NewUpload, openUpload, type UploadSession } from '../upload.ts';

/** A place to send one image or video of a post to. The file counts against the storage from now on. */
export const createMediaUploadSession = (
  ctx: Context,
  { resourceId: id, ...input }: NewUpload & { resourceId: string },
): Promise<UploadSession> =>
  inTransaction(ctx, async (ctx) => {
    await lockResource(ctx, { id, programId: input.programId, kind: 'social_post' });
    return openUpload(ctx, { ...input, resourceId: id });
  });
