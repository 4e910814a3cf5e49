import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Context } from '../../platform/context.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { Ranged } from '../../platform/http/byte-range.ts';
import type { ByteRange, FileStorage } from '../../platform/storage/file-storage.ts';
import { assertGranted } from '../auth/index.ts';
import { readDownloadToken } from './download-url.steps.ts';
import { type DownloadFile, listDownloadFiles } from './downloads.queries.ts';
import { assertNotBlocked } from './resources.queries.ts';

export interface Download {
  merchantId: string;
  fileName: string;
  contentType: string;
  /** Null for a zip: it is made while it is sent, and has no parts. */
  stored: Ranged | null;
  /** NOT_FOUND when the file is gone. */
  open(range: ByteRange | null): Promise<Readable>;
}

/** Without it, a key neither creates a URL nor keeps one usable. */
const SCOPES = { merchant: 'marketing_resources:write', affiliate: 'marketing_resources:read' } as const;

/** What a download URL names. It shows nothing that was removed or unpublished since, and nothing to a member who was blocked. */
export const openDownload = async (ctx: Context, token: string): Promise<Download> => {
  const target = readDownloadToken(ctx, token);
  if (!target) throw notFound('Download');
  if (target.isExpired) throw forbidden('The URL has expired. Create another download URL');
  await assertGranted(ctx, { grantId: target.grantId, scope: SCOPES[target.viewer] });
  if (target.affiliateId !== null) await assertNotBlocked(ctx, target.affiliateId);
  const { merchantId, fileName, files } = await listDownloadFiles(ctx, target);
  const [file] = files;
  if (!file) throw notFound('File');
  const { storage } = ctx.settings;
  if (target.type !== 'media')
    return { merchantId, fileName, contentType: 'application/zip', stored: null, open: async () => zipOf(storage, files) };
  return {
    merchantId,
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

/** Numbered, so that names are unique and keep their order. Separators would become folders. */
const nameInZip = (fileName: string, index: number): string =>
  `${String(index + 1).padStart(3, '0')} ${fileName.replaceAll(/[\\/:\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, '_')}`;

/** A zip of the files as a stream, without storing it. One file is open at a time; media and PDF would not get smaller. */
const zipOf = (storage: FileStorage, files: readonly DownloadFile[]): Readable => {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | null = null;
  zip.on('error', (error: Error) => output.destroy(error));
  output.once('close', () => current?.destroy());
  for (const [index, { fileId, fileName, byteSize }] of files.entries()) {
    zip.addReadStreamLazy(nameInZip(fileName, index), { compress: false, size: byteSize }, (take) => {
      storage.read(fileId).then(
        (bytes) => {
          if (!bytes || output.destroyed) {
            bytes?.destroy();
            return void output.destroy(new Error('A file of the download was removed'));
          }
          current = bytes;
          bytes.once('error', (error) => output.destroy(error));
          take(null, bytes);
        },
        (error: Error) => output.destroy(error),
      );
    });
  }
  zip.end();
  return output;
};
