import { type Context, inTransaction } from '../../../platform/context.ts';
import { addMedia, assertPostHasSpace, listMedia } from '../media.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';
import { takeUpload } from '../upload.ts';

export interface CompleteMediaUploadInput {
  resourceId: string;
  programId: string;
  uploadPath: string;
  uploadToken: string;
  fileName: string;
  altText: string | null | undefined;
  /** Default: after all others. */
  sortOrder: number | undefined;
}

/** Adds the received file of an upload session to its post, once. */
export const completeMediaUpload = (ctx: Context, input: CompleteMediaUploadInput): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const { resourceId, programId, uploadPath: path, uploadToken: token, fileName, altText = null } = input;
    const post = await lockResource(ctx, { id: resourceId, programId, kind: 'social_post' });
    const file = await takeUpload(ctx, { programId, resourceId, path, token });
    const media = await listMedia(ctx, resourceId);
    assertPostHasSpace([...media, file]);
    const sortOrder = input.sortOrder ?? Math.max(-1, ...media.map((one) => one.sortOrder)) + 1;
    await addMedia(ctx, { resourceId, fileId: file.id, fileName, altText, sortOrder });
    post.touch(ctx.clock.now());
    return readResource(ctx, resourceId);
  });
