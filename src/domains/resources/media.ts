import { MAX_ATTACHMENTS, MAX_POST_BYTES } from '../../contracts/limits.ts';
import type { Context } from '../../platform/context.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';
import { conflict, notFound } from '../../platform/errors.ts';

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
    sql<Media>`select m.id, m.file_id as "fileId", m.file_name as "fileName", m.alt_text as "altText", m.sort_order as "sortOrder",
        f.byte_size::float8 as "byteSize"
      from resource_media m join stored_file f on f.id = m.file_id where m.resource_id = ${resourceId}::uuid
      order by m.sort_order, m.id`,
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
  await execute(
    ctx.em,
    sql`insert into resource_media (id, resource_id, file_id, file_name, alt_text, sort_order, created_at)
      values (${ctx.ids.next()}::uuid, ${media.resourceId}::uuid, ${media.fileId}::uuid, ${media.fileName}, ${media.altText},
        ${media.sortOrder}, ${ctx.clock.now().toISOString()}::timestamptz)`,
  );
};

export const changeMedia = async (ctx: Context, media: Omit<Media, 'byteSize'>): Promise<void> => {
  await execute(
    ctx.em,
    sql`update resource_media set file_id = ${media.fileId}::uuid, file_name = ${media.fileName}, alt_text = ${media.altText},
        sort_order = ${media.sortOrder} where id = ${media.id}::uuid`,
  );
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
  await execute(ctx.em, sql`delete from resource_media where id = ${id}::uuid`);
};
