import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getRedisProgram } from '../../../src/local/stack/redis.ts';
import { buildTemporal } from '../../../src/local/stack/temporal-install.ts';
import { findCachedTemporal, TEMPORAL_MISSING, temporalCachePath } from '../../../src/local/stack/temporal-program.ts';
import { describeMissing } from '../../support/stack/describe-missing.ts';

let folder: string;
let logged: string[];
const log = (line: string): void => void logged.push(line);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-programs-'));
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function putProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

test('a missing Redis is an error with commands for apt, dnf, brew and docker', async () => {
  const looking = getRedisProgram({ env: { PATH: folder }, log });
  await expect(looking).rejects.toThrow(
    /apt-get install redis-server[\s\S]*dnf install[\s\S]*brew install redis[\s\S]*docker run/,
  );
  expect(logged).toEqual([]);
});

test('the first lines of a test run name what is missing, each with what installs it', async () => {
  const env = { XDG_CACHE_HOME: folder, PATH: folder };
  expect(await describeMissing(env)).toEqual([
    'Temporal is not here yet: it is downloaded, or else built by Go in 5 to 10 minutes, once only',
    'Tests of pages need a browser: sudo apt-get install chromium',
    'Tests of Python samples need Python: sudo apt-get install python3',
  ]);
  putProgram(temporalCachePath(env), '');
  for (const name of ['chromium', 'python3']) putProgram(join(folder, name), '');
  expect(await describeMissing(env)).toEqual([]);
});

test('valkey-server is used when there is no redis-server', async () => {
  putProgram(join(folder, 'valkey-server'), '#!/bin/sh\n');
  expect(await getRedisProgram({ env: { PATH: folder }, log })).toBe(join(folder, 'valkey-server'));
});

test('an incomplete Temporal in the cache is not used', async () => {
  const env = { XDG_CACHE_HOME: folder, PATH: '/usr/bin:/bin' };
  putProgram(temporalCachePath(env), '\x7fELF and then the disk was full');
  expect(await findCachedTemporal({ env, log })).toBe(false);
  expect(logged.join('\n')).toMatch(/damaged or incomplete/);
});

test('a Temporal in the cache that prints its version is used', async () => {
  const env = { XDG_CACHE_HOME: folder, PATH: '/usr/bin:/bin' };
  putProgram(temporalCachePath(env), '#!/bin/sh\necho "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)"\n');
  expect(await findCachedTemporal({ env, log })).toBe(true);
});

test('an empty cache is not logged', async () => {
  expect(await findCachedTemporal({ env: { XDG_CACHE_HOME: folder }, log })).toBe(false);
  expect(logged).toEqual([]);
});

const GO = `#!/bin/sh
[ "$1" = build ] || exit 1
while [ "$1" != -o ]; do shift; done
echo "go: downloading example.com/one v1" >&2
sleep 0.2
printf 'one\\ntwo\\n' >&2
sleep 0.2
cp "$FAKE_TEMPORAL" "$2" && chmod +x "$2"
`;

test('IN13: building Temporal says that it downloads, and then how many packages are compiled', async () => {
  const source = join(folder, 'source');
  putProgram(source, '#!/bin/sh\necho "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)"\n');
  putProgram(join(folder, 'bin/go'), GO);
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, FAKE_TEMPORAL: source };
  const target = join(folder, 'cache/temporal');
  expect(await buildTemporal({ target, version: '1.8.2', env, log, progressIntervalMs: 50 })).toBeNull();
  expect(existsSync(target)).toBe(true);
  const progress = logged.filter((line) => line.startsWith('Building Temporal: '));
  expect(progress[0]).toMatch(/downloading its sources, 0 min 0 s so far/);
  expect(progress.at(-1)).toMatch(/: 2 of about 1700 packages compiled/);
});

test('the error about a missing Temporal names the three ways to install one', () => {
  expect(TEMPORAL_MISSING).toMatch(/Temporal CLI[\s\S]*Go 1\.[\s\S]*TEMPORAL_ADDRESS=/);
});
