import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { FileStorage } from '../../platform/storage/file-storage.ts';
import type { DownloadFile } from './downloads.queries.ts';

/** Numbered, so that names are unique and keep their order. Separators would become folders. */
const nameInZip = (fileName: string, index: number): string =>
  `${String(index + 1).padStart(3, '0')} ${fileName.replaceAll(/[\\/:]/g, '_')}`;

/** A zip of the files as a stream, without storing it. One file is open at a time; media and PDF would not get smaller. */
export const zipOf = (storage: FileStorage, files: readonly DownloadFile[]): Readable => {
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
