import { MAX_ATTACHMENTS, MAX_POST_BYTES } from '../../contracts/limits.ts';
import type { Context } from '../../platform/context.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { db } from '../tables.ts';

/** A file as part of a resource. */
export interface Media {
  id: string;
  fileId: string;
  fileName: string;
  altText: string | null;
  sortOrder: number;
  byteSize: number;
}

/** In their order. Of a locked resource: nobody else changes them. */
export const listMedia = (ctx: Context, resourceId: string): Promise<Media[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('resource_media as m')
      .innerJoin('stored_file as f', 'f.id', 'm.fileId')
      .select(['m.id', 'm.fileId', 'm.fileName', 'm.altText', 'm.sortOrder', 'f.byteSize'])
      .where('m.resourceId', '=', resourceId)
      .orderBy('m.sortOrder')
      .orderBy('m.id'),
  );

export const findIn = (media: readonly Media[], id: string): Media => {
  const found = media.find((one) => one.id === id);
  if (!found) throw notFound('Media');
  return found;
};

export const assertPostHasSpace = (files: readonly { byteSize: number }[]): void => {
  const bytes = files.reduce((sum, { byteSize }) => sum + byteSize, 0);
  if (files.length <= MAX_ATTACHMENTS && bytes <= MAX_POST_BYTES) return;
  throw conflict('POST_FULL', 'The post would have too many or too large files', {
    limit: MAX_ATTACHMENTS,
    limitBytes: MAX_POST_BYTES,
  });
};

export const addMedia = async (ctx: Context, media: Omit<Media, 'id' | 'byteSize'> & { resourceId: string }): Promise<void> => {
  const row = { ...media, id: ctx.ids.next(), createdAt: ctx.clock.now() };
  await execute(ctx.em, db.insertInto('resource_media').values(row));
};

export const changeMedia = async (
  ctx: Context,
  { id, fileId, fileName, altText, sortOrder }: Omit<Media, 'byteSize'>,
): Promise<void> => {
  await execute(ctx.em, db.updateTable('resource_media').set({ fileId, fileName, altText, sortOrder }).where('id', '=', id));
};

/** Numbers them from 0. */
export const orderMedia = async (ctx: Context, ids: readonly string[]): Promise<void> => {
  await execute(
    ctx.em,
    sql`update resource_media m set sort_order = o.position - 1
      from unnest(${ids}::uuid[]) with ordinality as o (id, position) where m.id = o.id`,
  );
};

export const deleteMedia = async (ctx: Context, id: string): Promise<void> => {
  await execute(ctx.em, db.deleteFrom('resource_media').where('id', '=', id));
};
