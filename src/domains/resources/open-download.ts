import type { Readable } from 'node:stream';
import type { Context } from '../../platform/context.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { readDownloadToken } from './download-url.ts';
import { listDownloadFiles } from './downloads.queries.ts';
import { zipOf } from './zip.ts';

export interface Download {
  fileName: string;
  contentType: string;
  /** Null: not known in advance. */
  byteSize: number | null;
  bytes: Readable;
}

/** Opens what a download URL names. It shows nothing that was removed or unpublished since. */
export const openDownload = async (ctx: Context, token: string): Promise<Download> => {
  const target = readDownloadToken(ctx, token);
  if (!target) throw notFound('Download');
  if (target.isExpired) throw forbidden('The URL has expired. Create another download URL');
  const { fileName, files } = await listDownloadFiles(ctx, target);
  const [file] = files;
  if (!file) throw notFound('File');
  const { storage } = ctx.settings;
  if (target.type !== 'media') return { fileName, contentType: 'application/zip', byteSize: null, bytes: zipOf(storage, files) };
  const bytes = await storage.read(file.fileId);
  if (!bytes) throw notFound('File');
  return { fileName, contentType: file.mimeType, byteSize: file.byteSize, bytes };
};
