import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getRedisProgram } from '../../../src/local-stack/redis-program.ts';
import { findCachedTemporal, TEMPORAL_MISSING, temporalCachePath } from '../../../src/local-stack/temporal-program.ts';

let folder: string;
let said: string[];
const say = (line: string): void => void said.push(line);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-programs-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function putProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

test('a missing Redis is an error with the command for apt, dnf, brew and docker', async () => {
  const looking = getRedisProgram({ env: { PATH: folder }, say });
  await expect(looking).rejects.toThrow(
    /apt-get install redis-server[\s\S]*dnf install[\s\S]*brew install redis[\s\S]*docker run/,
  );
  expect(said).toEqual([]);
});

test('valkey-server serves where there is no redis-server', async () => {
  putProgram(join(folder, 'valkey-server'), '#!/bin/sh\n');
  expect(await getRedisProgram({ env: { PATH: folder }, say })).toBe(join(folder, 'valkey-server'));
});

test('a half-written Temporal in the cache is not used', async () => {
  const env = { XDG_CACHE_HOME: folder, PATH: '/usr/bin:/bin' };
  putProgram(temporalCachePath(env), '\x7fELF and then the disk was full');
  expect(await findCachedTemporal({ env, say })).toBe(false);
  expect(said.join('\n')).toMatch(/damaged or half-written/);
});

test('a Temporal in the cache that answers to --version is used', async () => {
  const env = { XDG_CACHE_HOME: folder, PATH: '/usr/bin:/bin' };
  putProgram(temporalCachePath(env), '#!/bin/sh\necho "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)"\n');
  expect(await findCachedTemporal({ env, say })).toBe(true);
});

test('an empty cache is no reason to say anything', async () => {
  expect(await findCachedTemporal({ env: { XDG_CACHE_HOME: folder }, say })).toBe(false);
  expect(said).toEqual([]);
});

test('the error about a missing Temporal names the three ways to get one', () => {
  expect(TEMPORAL_MISSING).toMatch(/Temporal CLI[\s\S]*Go 1\.[\s\S]*TEMPORAL_ADDRESS=/);
});
