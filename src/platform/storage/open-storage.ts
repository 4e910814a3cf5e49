import { createDiskStorage } from './disk-storage.ts';
import type { FileStorage } from './file-storage.ts';
import { createS3Storage } from './s3-storage.ts';

export interface StorageSettings {
  folder: string;
  /** Undefined: files are kept in the folder. */
  bucket: string | undefined;
  region: string;
  endpoint: string | undefined;
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
}

export const openStorage = ({ folder, bucket, accessKeyId, secretAccessKey, ...s3 }: StorageSettings): FileStorage => {
  if (bucket === undefined) return createDiskStorage({ folder });
  const credentials = accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
  return createS3Storage({ bucket, credentials, ...s3 });
};
