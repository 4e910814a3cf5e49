import { type Context, inTransaction } from '../../../platform/context.ts';
import { assertPostHasSpace, changeMedia, findIn, listMedia } from '../media.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';
import { discardFiles, takeUpload } from '../upload.ts';
import type { CompleteMediaUploadInput } from './complete-media-upload.ts';

/** The media keeps its id. Alternative text and position stay unless they are given; the file before is discarded. */
export const replaceMedia = (ctx: Context, input: CompleteMediaUploadInput & { mediaId: string }): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const { resourceId, programId, mediaId, uploadPath: path, uploadToken: token, fileName, altText, sortOrder } = input;
    const post = await lockResource(ctx, { id: resourceId, programId, kind: 'social_post' });
    const media = await listMedia(ctx, resourceId);
    const replaced = findIn(media, mediaId);
    const file = await takeUpload(ctx, { programId, resourceId, path, token });
    assertPostHasSpace([...media.filter(({ id }) => id !== mediaId), file]);
    await changeMedia(ctx, {
      ...replaced,
      fileId: file.id,
      fileName,
      ...(altText === undefined ? {} : { altText }),
      sortOrder: sortOrder ?? replaced.sortOrder,
    });
    await discardFiles(ctx, [replaced.fileId]);
    post.touch(ctx.clock.now());
    return readResource(ctx, resourceId);
  });
