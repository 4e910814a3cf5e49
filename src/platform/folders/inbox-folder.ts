import { createHash } from 'node:crypto';
import { lstat, mkdir, opendir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SECOND_MS } from '../clock.ts';

/*
 * A folder into which a program puts files. One with its checksum beside it (`name.sha256`) is complete once they agree; one without is when
 * nobody wrote to it for a minute. What was taken is moved into a subfolder by a rename.
 */

const CHECKSUM = '.sha256';
/** What programs write to before they rename it. */
const UNFINISHED = /(^\.|\.(part|tmp|filepart)$)/i;
const MAX_NAME = 200;
/** Names that are looked at in a folder. */
const MAX_ENTRIES = 10_000;
/** A checksum with the name of its file. */
const MAX_CHECKSUM_BYTES = 1_000;

/** Without a checksum, a file that was not written to for so long is complete. */
const STABLE_MS = 60 * SECOND_MS;

export interface InboxFile {
  name: string;
  bytes: number;
  changedAtMs: number;
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const unlessMissing = <T>(read: Promise<T>): Promise<T | null> =>
  read.catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });

/** Names of plain files and of folders; neither links nor hidden ones. */
export const listFolder = async (folder: string): Promise<{ files: string[]; folders: string[] }> => {
  const found = { files: [] as string[], folders: [] as string[] };
  const opened = await unlessMissing(opendir(folder));
  let seen = 0;
  for await (const entry of opened ?? []) {
    if (++seen > MAX_ENTRIES) break;
    if (entry.name.length > MAX_NAME || UNFINISHED.test(entry.name)) continue;
    if (entry.isFile()) found.files.push(entry.name);
    else if (entry.isDirectory()) found.folders.push(entry.name);
  }
  return { files: found.files.sort(), folders: found.folders.sort() };
};

/** Files that wait, in the order of their names, without checksums. */
export const listInbox = async (folder: string): Promise<InboxFile[]> => {
  const { files } = await listFolder(folder);
  const waiting: InboxFile[] = [];
  for (const name of files.filter((file) => !file.endsWith(CHECKSUM))) {
    const stats = await unlessMissing(lstat(join(folder, name)));
    if (stats?.isFile()) waiting.push({ name, bytes: stats.size, changedAtMs: stats.mtimeMs });
  }
  return waiting;
};

/** Null while it is being written, or gone. Throws for one that is larger than `maxBytes`, which is not read. */
export const readInboxFile = async (folder: string, { name, changedAtMs }: InboxFile, nowMs: number): Promise<Buffer | null> => {
  const checksumPath = join(folder, name + CHECKSUM);
  const isStable = nowMs - changedAtMs >= STABLE_MS;
  const stats = await unlessMissing(lstat(checksumPath));
  const checksum = stats && stats.size <= MAX_CHECKSUM_BYTES ? await unlessMissing(readFile(checksumPath, 'utf8')) : null;
  if (checksum === null && !isStable) return null;
  const bytes = await unlessMissing(readFile(join(folder, name)));
  if (bytes === null || isStable) return bytes;
  return createHash('sha256').update(bytes).digest('hex') === checksum?.trim().slice(0, 64).toLowerCase() ? bytes : null;
};

/** Moves a file, with its checksum, into a subfolder. Another file of this name there is kept. A file that is gone was moved before. */
export const moveTo = async (folder: string, name: string, target: 'done' | 'failed'): Promise<void> => {
  const into = join(folder, target);
  await mkdir(into, { recursive: true, mode: 0o750 });
  const isTaken = (await unlessMissing(lstat(join(into, name)))) !== null;
  const free = isTaken
    ? `${createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest('hex')
        .slice(0, 12)}-${name}`
    : name;
  await unlessMissing(rename(join(folder, name), join(into, free)));
  await rm(join(folder, name + CHECKSUM), { force: true });
};
