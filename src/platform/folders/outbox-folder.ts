import { createHash } from 'node:crypto';
import { access, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * A folder from which a program takes files. A file appears by being renamed, when its checksum stands beside it already, so nobody sees half
 * of one. The checksum stays when the program takes the file: it says that the file was here, and must not come again.
 */

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const partOf = (path: string): string => `${path}.part`;
const checksumOf = (path: string): string => `${path}.sha256`;

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

const write = async (path: string, bytes: Uint8Array | string): Promise<void> => {
  const handle = await open(path, 'w', 0o640);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Whether the file has appeared before, whoever took it since. */
export const hasAppeared = async (folder: string, name: string): Promise<boolean> => {
  const path = join(folder, name);
  return (await isThere(checksumOf(path))) && !(await isThere(partOf(path)));
};

/** Writes the file so that `show` is all that is missing. A repeat writes it again. */
export const prepare = async (folder: string, name: string, bytes: Uint8Array): Promise<void> => {
  const path = join(folder, name);
  const checksum = checksumOf(path);
  await write(partOf(path), bytes);
  await syncFolder(folder);
  await write(partOf(checksum), `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  await rename(partOf(checksum), checksum);
  await syncFolder(folder);
};

/** One rename: from then on the program may take it. */
export const show = async (folder: string, name: string): Promise<void> => {
  const path = join(folder, name);
  await rename(partOf(path), path);
  await syncFolder(folder);
};

/** Removes a file that was prepared and must not appear. */
export const forget = async (folder: string, name: string): Promise<void> => {
  const path = join(folder, name);
  await rm(checksumOf(path), { force: true });
  await rm(partOf(path), { force: true });
};
