import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  explainDataDirectoryError,
  makeTemporaryDirectory,
  prepareDataDirectory,
} from '../../../src/local/stack/data-directory.ts';
import { assertReachable } from '../../../src/local/stack/postgres-owner.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-data-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a missing data folder is created', async () => {
  const directory = await prepareDataDirectory(join(folder, 'deep', 'data'));
  expect(directory.logsDir).toBe(join(folder, 'deep', 'data', 'logs'));
});

/** Root can write anywhere, so another user runs the check: in this process, as that user may not enter the folder of the project. */
const asOtherUser = async <T>(check: () => Promise<T>): Promise<T> => {
  if (process.getuid?.() !== 0) return check();
  process.seteuid?.(65_534);
  try {
    return await check();
  } finally {
    process.seteuid?.(0);
  }
};

test('a read-only data folder is an error that says what to do', async () => {
  const readOnly = join(folder, 'data');
  mkdirSync(readOnly, { mode: 0o555 });
  const refusal = await asOtherUser(() => prepareDataDirectory(readOnly).then(String, String));
  expect(refusal).toContain(`This user cannot write to ${readOnly}`);
  expect(refusal).toContain('chown -R');
});

test('too little disk space is an error before anything is started', async () => {
  await expect(prepareDataDirectory(folder, Number.MAX_SAFE_INTEGER)).rejects.toThrow(/Only \d+ MB are free.*Free some space/s);
});

test('a file in place of the data folder is an error', async () => {
  writeFileSync(join(folder, 'data'), '');
  await expect(prepareDataDirectory(join(folder, 'data'))).rejects.toThrow(/exists and is not a folder/);
});

test.each([
  ['ENOSPC', /disk of .* is full/],
  ['EROFS', /read-only file system/],
])('%s is explained in a sentence', (code, sentence) => {
  expect(explainDataDirectoryError('/data', code)).toMatch(sentence);
});

test('a temporary folder is in memory only for data that may be lost', async () => {
  const [kept, lost] = [await makeTemporaryDirectory(undefined, false), await makeTemporaryDirectory(undefined, true)];
  for (const path of [kept, lost]) rmSync(path, { recursive: true });
  expect(kept).not.toMatch('/dev/shm/');
  expect([tmpdir(), '/dev/shm']).toContain(dirname(lost));
});

test('a folder that the PostgreSQL user cannot enter is named, with what to do', async () => {
  const closed = join(folder, 'home');
  mkdirSync(join(closed, 'project'), { recursive: true });
  chmodSync(closed, 0o700);
  const otherUser = { uid: 64_999, gid: 64_999 };
  await expect(assertReachable(join(closed, 'project', '.data'), otherUser)).rejects.toThrow(`chmod o+x ${closed}`);
  chmodSync(closed, 0o711);
  await expect(assertReachable(join(closed, 'project', '.data'), otherUser)).resolves.toBeUndefined();
});
