import { MAX_COLLECTION_ITEMS } from '../../contracts/limits.ts';
import type { Bundle, FileType } from '../../contracts/resources.ts';
import type { Context } from '../../platform/context.ts';
import { type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { savedNameOf } from './saved-name.ts';

export interface DownloadFile {
  fileId: string;
  /** Under which it is saved. */
  fileName: string;
  mimeType: FileType;
  byteSize: number;
}

interface Row extends DownloadFile {
  title: string;
}

const columns = sql`m.file_id as "fileId", m.file_name as "fileName", f.mime_type as "mimeType", f.byte_size::float8 as "byteSize", r.title`;
const files = sql`resource_media m join stored_file f on f.id = m.file_id join marketing_resource r on r.id = m.resource_id
  join program p on p.id = r.program_id`;

/** The condition on the files, with `c` for the collection. */
const STATEMENTS: Readonly<Record<'media' | Bundle, (id: string, visible: RawBuilder<unknown>) => RawBuilder<Row>>> = {
  media: (id, visible) =>
    sql<Row>`select ${columns} from ${files} where (m.id = ${id}::uuid or (m.resource_id = ${id}::uuid and r.kind = 'file')) and ${visible}`,
  social_post_media: (id, visible) =>
    sql<Row>`select ${columns} from ${files} where m.resource_id = ${id}::uuid and r.kind = 'social_post' and ${visible}
      order by m.sort_order, m.id`,
  collection_files: (id, visible) =>
    sql<Row>`select m.file_id as "fileId", m.file_name as "fileName", f.mime_type as "mimeType", f.byte_size::float8 as "byteSize", c.title
      from ${files} join marketing_resource c on c.id = r.collection_id
      where r.collection_id = ${id}::uuid and r.kind = 'file' and r.status <> 'archived' and ${visible}
      order by r.created_at desc, r.id desc limit ${MAX_COLLECTION_ITEMS}`,
};

const VISIBLE: Readonly<Record<'merchant' | 'affiliate', RawBuilder<unknown>>> = {
  merchant: sql`true`,
  affiliate: sql`r.status = 'published' and p.status <> 'archived'`,
};
const VISIBLE_COLLECTION: Readonly<Record<'merchant' | 'affiliate', RawBuilder<unknown>>> = {
  merchant: sql`true`,
  affiliate: sql`r.status = 'published' and c.status = 'published' and p.status <> 'archived'`,
};

/** The files of a download at this moment, in their order, and the name of the whole. A file that was removed or is no longer visible is left out. */
export const listDownloadFiles = async (
  ctx: Context,
  { type, id, viewer }: { type: 'media' | Bundle; id: string; viewer: 'merchant' | 'affiliate' },
): Promise<{ fileName: string; files: DownloadFile[] }> => {
  const visible = type === 'collection_files' ? VISIBLE_COLLECTION[viewer] : VISIBLE[viewer];
  const found = await rows(ctx.em, STATEMENTS[type](id, visible));
  const files = found.map((file) => ({ ...file, fileName: savedNameOf(file.fileName, file.mimeType) }));
  const [first] = files;
  const fileName = type === 'media' ? first?.fileName : `${first?.title ?? ''}.zip`;
  return { fileName: fileName ?? '', files };
};
