import type { Readable } from 'node:stream';
import type { Context } from '../../platform/context.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { Ranged } from '../../platform/http/byte-range.ts';
import type { ByteRange } from '../../platform/storage/file-storage.ts';
import { readDownloadToken } from './download-url.ts';
import { listDownloadFiles } from './downloads.queries.ts';
import { zipOf } from './zip.ts';

export interface Download {
  fileName: string;
  contentType: string;
  /** Null for a zip: it is made while it is sent, and has no parts. */
  stored: Ranged | null;
  /** NOT_FOUND when the file is gone. */
  open(range: ByteRange | null): Promise<Readable>;
}

/** What a download URL names. It shows nothing that was removed or unpublished since. */
export const openDownload = async (ctx: Context, token: string): Promise<Download> => {
  const target = readDownloadToken(ctx, token);
  if (!target) throw notFound('Download');
  if (target.isExpired) throw forbidden('The URL has expired. Create another download URL');
  const { fileName, files } = await listDownloadFiles(ctx, target);
  const [file] = files;
  if (!file) throw notFound('File');
  const { storage } = ctx.settings;
  if (target.type !== 'media')
    return { fileName, contentType: 'application/zip', stored: null, open: async () => zipOf(storage, files) };
  return {
    fileName,
    contentType: file.mimeType,
    // A file is never changed: another one has another id.
    stored: { byteSize: file.byteSize, etag: `"${file.fileId}"` },
    async open(range) {
      const bytes = await storage.read(file.fileId, range);
      if (!bytes) throw notFound('File');
      return bytes;
    },
  };
};
