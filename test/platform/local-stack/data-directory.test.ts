import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  explainDataDirectoryError,
  makeTemporaryDirectory,
  prepareDataDirectory,
} from '../../../src/local/stack/data-directory.ts';
import { assertReachable } from '../../../src/local/stack/postgres-owner.ts';
import { runProgram } from '../../../src/local/stack/programs.ts';

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

test('a read-only data folder is an error that says what to do', async () => {
  const readOnly = join(folder, 'data');
  mkdirSync(readOnly, { mode: 0o555 });
  // Root can write anywhere, so another user runs the check.
  const script = `const { prepareDataDirectory } = await import('${import.meta.dirname}/../../../src/local/stack/data-directory.ts');
    await prepareDataDirectory('${readOnly}').catch((error) => console.log(error.message));`;
  const isRoot = process.getuid?.() === 0;
  const { output } = await runProgram(process.execPath, ['--input-type=module-typescript', '-e', script], {
    env: { PATH: process.env['PATH'] },
    owner: isRoot ? { uid: 65_534, gid: 65_534 } : undefined,
    timeoutMs: 20_000,
  });
  expect(output).toContain(`This user cannot write to ${readOnly}`);
  expect(output).toContain('chown -R');
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
