import { MAX_COLLECTION_ITEMS } from '../../contracts/limits.ts';
import type { Bundle, FileType } from '../../contracts/resources.ts';
import type { Context } from '../../platform/context.ts';
import { rows } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { savedNameOf } from './saved-name.rules.ts';

export interface DownloadFile {
  fileId: string;
  /** Under which it is saved. */
  fileName: string;
  mimeType: FileType;
  byteSize: number;
}

const files = db
  .selectFrom('resource_media as m')
  .innerJoin('stored_file as f', 'f.id', 'm.fileId')
  .innerJoin('marketing_resource as r', 'r.id', 'm.resourceId')
  .innerJoin('program as p', 'p.id', 'r.programId')
  .select(['m.fileId', 'm.fileName', 'f.mimeType', 'f.byteSize', 'f.merchantId']);

const publishedFiles = files.where('r.status', '=', 'published').where('p.status', '<>', 'archived');

/** For whom the files are. Affiliates download what is published. */
export type Viewer = 'merchant' | 'affiliate';

const FILES: Readonly<Record<Viewer, typeof files>> = { merchant: files, affiliate: publishedFiles };

const STATEMENTS = {
  media: (id: string, viewer: Viewer) =>
    FILES[viewer]
      .select('r.title')
      .where(({ and, eb, or }) => or([eb('m.id', '=', id), and([eb('m.resourceId', '=', id), eb('r.kind', '=', 'file')])])),
  social_post_media: (id: string, viewer: Viewer) =>
    FILES[viewer]
      .select('r.title')
      .where('m.resourceId', '=', id)
      .where('r.kind', '=', 'social_post')
      .orderBy('m.sortOrder')
      .orderBy('m.id'),
  collection_files: (id: string, viewer: Viewer) =>
    FILES[viewer]
      .innerJoin('marketing_resource as c', 'c.id', 'r.collectionId')
      .select('c.title')
      .where('r.collectionId', '=', id)
      .where('r.kind', '=', 'file')
      .where('r.status', '<>', 'archived')
      .$if(viewer === 'affiliate', (query) => query.where('c.status', '=', 'published'))
      .orderBy('r.createdAt', 'desc')
      .orderBy('r.id', 'desc')
      .limit(MAX_COLLECTION_ITEMS),
} as const;

/** The files of a download at this moment, in their order, and the name of the whole. A file that was removed or is no longer visible is left out. */
export const listDownloadFiles = async (
  ctx: Context,
  { type, id, viewer }: { type: 'media' | Bundle; id: string; viewer: Viewer },
): Promise<{ merchantId: string; fileName: string; files: DownloadFile[] }> => {
  const found = await rows(ctx.em, STATEMENTS[type](id, viewer));
  const files = found.map((file) => ({ ...file, fileName: savedNameOf(file.fileName, file.mimeType) }));
  const [first] = files;
  const fileName = type === 'media' ? first?.fileName : `${first?.title ?? ''}.zip`;
  return { merchantId: first?.merchantId ?? '', fileName: fileName ?? '', files };
};
