import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock } from '../../../src/local/stack/lock.ts';
import { findProcessIdentity } from '../../../src/local/stack/process-identity.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function deadProcess(): Promise<{ pid: number; identity: string | null }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const identity = findProcessIdentity(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return { pid: child.pid ?? 0, identity };
}

test('a held lock names the process that holds it', async () => {
  expect(await tryLock(path)).toHaveProperty('lock');
  expect(await tryLock(path)).toEqual({ heldBy: process.pid });
});

test('a released lock can be taken again', async () => {
  const first = await tryLock(path);
  if ('lock' in first) first.lock.release();
  expect(await tryLock(path)).toHaveProperty('lock');
});

test('the lock of a process that was killed is taken over', async () => {
  writeFileSync(path, JSON.stringify(await deadProcess()));
  expect(await tryLock(path)).toHaveProperty('lock');
});

test('a pid that now belongs to another process does not hold the lock', async () => {
  writeFileSync(path, JSON.stringify({ pid: process.pid, identity: 'an earlier process' }));
  expect(await tryLock(path)).toHaveProperty('lock');
});

test('an incomplete lock file is taken over once it is old enough', async () => {
  writeFileSync(path, '{"pid":');
  utimesSync(path, new Date(0), new Date(0));
  expect(await tryLock(path)).toHaveProperty('lock');
});

test('of many processes that find a stale lock at once, exactly one takes it', async () => {
  writeFileSync(path, JSON.stringify(await deadProcess()));
  const attempts = await Promise.all(Array.from({ length: 20 }, () => tryLock(path)));
  expect(attempts.filter((attempt) => 'lock' in attempt)).toHaveLength(1);
});

test('releasing never removes the lock of another process', async () => {
  const first = await tryLock(path);
  writeFileSync(path, 'another process');
  if ('lock' in first) first.lock.release();
  expect(readFileSync(path, 'utf8')).toBe('another process');
});
