import { type Context, inTransaction } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { addMedia, assertPostHasSpace, changeMedia, deleteMedia, findIn, listMedia, orderMedia } from '../media.steps.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { MediaView, ResourceView } from '../resources.wire.ts';
import { discardFiles, type NewUpload, openUpload, takeUpload, type UploadSession } from '../upload.steps.ts';

/** A place to send one file of the program to. The file counts against the storage from now on. */
export const createFileUploadSession = (ctx: Context, input: Omit<NewUpload, 'resourceId'>): Promise<UploadSession> =>
  inTransaction(ctx, async (ctx) => {
    await readOwnedProgram(ctx, input.programId);
    return openUpload(ctx, { ...input, resourceId: null });
  });

const lockPost = (ctx: Context, id: string, programId: string) => lockResource(ctx, { id, programId, kind: 'social_post' });

/** A place to send one image or video of a post to. The file counts against the storage from now on. */
export const createMediaUploadSession = (
  ctx: Context,
  { resourceId: id, ...input }: NewUpload & { resourceId: string },
): Promise<UploadSession> =>
  inTransaction(ctx, async (ctx) => {
    await lockPost(ctx, id, input.programId);
    return openUpload(ctx, { ...input, resourceId: id });
  });

interface CompleteMediaUploadInput {
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
    const post = await lockPost(ctx, resourceId, programId);
    const file = await takeUpload(ctx, { programId, resourceId, path, token });
    const media = await listMedia(ctx, resourceId);
    assertPostHasSpace([...media, file]);
    const sortOrder = input.sortOrder ?? Math.max(-1, ...media.map((one) => one.sortOrder)) + 1;
    await addMedia(ctx, { resourceId, fileId: file.id, fileName, altText, sortOrder });
    post.touch(ctx.clock.now());
    return readResource(ctx, resourceId);
  });

/** The media keeps its id. Alternative text and position stay unless they are given; the file before is discarded. */
export const replaceMedia = (ctx: Context, input: CompleteMediaUploadInput & { mediaId: string }): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const { resourceId, programId, mediaId, uploadPath: path, uploadToken: token, fileName, altText, sortOrder } = input;
    const post = await lockPost(ctx, resourceId, programId);
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

interface UpdateMediaInput {
  resourceId: string;
  programId: string;
  mediaId: string;
  /** Undefined leaves it unchanged. */
  altText: string | null | undefined;
}

export const updateMedia = (ctx: Context, input: UpdateMediaInput): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const { resourceId, programId, mediaId, altText } = input;
    const post = await lockPost(ctx, resourceId, programId);
    const media = findIn(await listMedia(ctx, resourceId), mediaId);
    if (altText !== undefined && altText !== media.altText) {
      await changeMedia(ctx, { ...media, altText });
      post.touch(ctx.clock.now());
    }
    return readResource(ctx, resourceId);
  });

interface ReorderMediaInput {
  resourceId: string;
  programId: string;
  /** All media of the post, each once. */
  mediaIds: readonly string[];
}

/** Returns the media in their new order. */
export const reorderMedia = (ctx: Context, { resourceId, programId, mediaIds }: ReorderMediaInput): Promise<MediaView[]> =>
  inTransaction(ctx, async (ctx) => {
    const post = await lockPost(ctx, resourceId, programId);
    const media = await listMedia(ctx, resourceId);
    const isComplete = media.length === mediaIds.length && media.every(({ id }) => mediaIds.includes(id));
    if (!isComplete) throw invalidField('media_ids', 'must name all media of the post, each once');
    if (media.some(({ id, sortOrder }) => mediaIds[sortOrder] !== id)) {
      await orderMedia(ctx, mediaIds);
      post.touch(ctx.clock.now());
    }
    return (await readResource(ctx, resourceId)).media;
  });

/** The file is shown nowhere from the commit on. */
export const removeMedia = (
  ctx: Context,
  input: { resourceId: string; programId: string; mediaId: string },
): Promise<{ id: string }> =>
  inTransaction(ctx, async (ctx) => {
    const { resourceId, programId, mediaId } = input;
    const post = await lockPost(ctx, resourceId, programId);
    const { id, fileId } = findIn(await listMedia(ctx, resourceId), mediaId);
    await deleteMedia(ctx, id);
    await discardFiles(ctx, [fileId]);
    post.touch(ctx.clock.now());
    return { id };
  });
