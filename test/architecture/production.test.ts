import { join } from 'node:path';
import { filesAt, isInImage, readText } from './project.ts';

type Table = Record<string, string>;
const { dependencies } = JSON.parse(readText('package.json')) as { dependencies: Table };

/** What the image runs, with what it loads by path. Tools of development and `npm start` are not among them. */
const ENTRIES = [
  ...['api', 'worker', 'migrate', 'replay-histories', 'admin', 'bundle-workflows'].map((name) => `bin/${name}.ts`),
  'workflows/index.ts',
  ...filesAt('migrations/**/*.ts'),
];

/** Never imported: they hold the versions of others, see docs/decisions/dependencies.md. */
const PINS = ['@mikro-orm/sql', 'mikro-orm', 'protobufjs'];

const IMPORTED = /(?:^|\n)(?:import|export)\s(?!type\s)(?:[\w\s{},*$]*\sfrom\s)?'([^'\n]+)'|\bimport\('([^'\n]+)'\)/g;
/** Files of packages that are read, and packages that have no ES module. */
const RESOLVED = /\b(?:createRequire\(import\.meta\.url\)(?:\.resolve)?|packageFile)\(\s*'([^'\n]+)'/g;

const namesIn = (text: string): string[] =>
  [...text.matchAll(IMPORTED), ...text.matchAll(RESOLVED)].map(([, name, loaded]) => name ?? loaded ?? '');

const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/** All files of the project, and all packages, that are loaded from the entry points, now or later. */
const reach = (entries: readonly string[]) => {
  const files = new Set<string>();
  const packages = new Map<string, string>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    files.add(path);
    if (!path.endsWith('.ts')) continue;
    for (const name of namesIn(readText(path))) {
      if (name.startsWith('.')) waiting.push(join(path, '..', name));
      else if (!name.startsWith('node:')) packages.set(packageOf(name), path);
    }
  }
  return { files: [...files].sort(), packages };
};

const { files, packages } = reach(ENTRIES);

test('what production loads is a production dependency', () => {
  expect(files.length).toBeGreaterThan(900);
  expect([...packages].filter(([name]) => !(name in dependencies))).toEqual([]);
});

test('what production never loads is no production dependency', () => {
  expect(Object.keys(dependencies).filter((name) => !packages.has(name) && !PINS.includes(name))).toEqual([]);
  expect(PINS.filter((name) => packages.has(name) || !(name in dependencies))).toEqual([]);
});

test('the image holds every file that production loads', () => {
  expect(files.filter((path) => !isInImage(path))).toEqual([]);
});

test('the image holds no part of npm start that production does not load, and no tool of development', () => {
  const held = filesAt('bin/*', 'src/local/**/*.ts').filter(isInImage);
  expect(held.filter((path) => !files.includes(path))).toEqual(['bin/trim-packages.js']);
});
