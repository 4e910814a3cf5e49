import { access, constants, type FileHandle, mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invariant } from '../errors.ts';
import { type FileStorage, isFileName, sized } from './file-storage.ts';

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

/** Writes and syncs; the stream closes the file. */
const writeAll = async (path: string, bytes: Readable): Promise<void> => {
  const handle = await open(path, 'w', 0o600);
  await pipeline(bytes, handle.createWriteStream({ flush: true }));
};

const openToRead = (path: string): Promise<FileHandle | null> =>
  open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });

/** The first file creates the folder: whoever checks it may be another user, and must not. */
const nearestFolder = async (folder: string): Promise<string> => {
  const parent = dirname(folder);
  if (folder === parent) return folder;
  return stat(folder).then(
    () => folder,
    (error: unknown) => {
      if (isMissing(error)) return nearestFolder(parent);
      throw error;
    },
  );
};

const GIGABYTE = 1024 ** 3;

/**
 * Files in a folder, spread over 256 subfolders. A file that is being written has a name that follows from its own, so that a
 * crash leaves nothing that `remove` does not find.
 */
export const createDiskStorage = ({ folder }: { folder: string }): FileStorage => {
  const folderOf = (name: string): string => {
    invariant(isFileName(name), 'names of files are ids');
    return join(folder, name.slice(-2));
  };
  return {
    async write(name, file) {
      const bytes = sized(file);
      const target = folderOf(name);
      const path = join(target, name);
      try {
        await mkdir(target, { recursive: true, mode: 0o700 });
        await writeAll(`${path}.part`, bytes);
        await rename(`${path}.part`, path);
        await sync(target);
      } catch (error) {
        bytes.destroy();
        await rm(`${path}.part`, { force: true });
        throw error;
      }
    },
    async read(name, range) {
      const handle = await openToRead(join(folderOf(name), name));
      return handle?.createReadStream(range ?? {}) ?? null;
    },
    async remove(name) {
      const path = join(folderOf(name), name);
      await rm(`${path}.part`, { force: true });
      await rm(path, { force: true });
    },
    async check() {
      const existing = await nearestFolder(resolve(folder));
      await access(existing, constants.W_OK | constants.X_OK);
      const { bavail, bsize } = await statfs(existing);
      if (bavail === 0) throw new Error(`no space is left in ${existing}`);
      return `${folder}, ${Math.floor((bavail * bsize) / GIGABYTE)} GB free`;
    },
  };
};
