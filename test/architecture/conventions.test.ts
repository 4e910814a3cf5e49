import { join } from 'node:path';
import { camelCase, FOLDER, filesAt, PRODUCT, readText } from './project.ts';

const linesOf = (path: string): number => readText(path).trimEnd().split('\n').length;

const TESTS = ['test/**/*.ts', 'bench/**/*.ts'];
/** A long file is one to think about, not one to split at any line: docs/contributing.md says from which length on. */
const MAX_LINES = 400;
const MAX_OPERATION_LINES = 12;

test('no file exceeds the size limit', () => {
  expect(filesAt(...PRODUCT, ...TESTS).filter((path) => linesOf(path) > MAX_LINES)).toEqual([]);
});

test('the median file has at most 70 lines', () => {
  const lengths = filesAt(...PRODUCT)
    .map(linesOf)
    .sort((a, b) => a - b);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(70);
});

test('a public interface names each export', () => {
  expect(filesAt('src/domains/*/index.ts').filter((path) => /export \*/.test(readText(path)))).toEqual([]);
});

test('file names are kebab-case and specific', () => {
  const all = filesAt(...PRODUCT, ...TESTS);
  expect(all.filter((path) => !/^[a-z0-9-]+(\.[a-z]+)*\.ts$/.test(path.split('/').at(-1) ?? ''))).toEqual([]);
  expect(all.filter((path) => /(^|\/)(utils?|helpers?|common|misc|manager|service|data|info)(\/|\.ts$)/.test(path))).toEqual([]);
});

/** Their names say less than their folders: what each of these holds is in src/domains/README.md. */
const FOLDER_KINDS = ['use-cases', 'machine', 'rails', 'lanes', 'mails', 'browser-script'];
const CONCEPTS: Readonly<Record<string, readonly string[]>> = {
  conversions: ['record', 'attribute', 'refund', 'hold', 'stripe', 'lists'],
  payouts: ['accounts', 'create', 'approval', 'manual', 'lists', 'remittance', 'holds'],
  webhooks: ['endpoints', 'events', 'deliveries'],
};

test('every file of a domain has a kind, by its suffix or by its folder', () => {
  const kinds = /\/(index|[\w-]+\.(routes|examples|wire|entity|queries|rules|steps|calls|cache))\.ts$/;
  const unknown = filesAt('src/domains/*/**/*.ts').filter((path) => {
    const [domain, folder] = path.split('/').slice(2, -1) as [string, string?];
    if (folder !== undefined && FOLDER_KINDS.includes(folder)) return false;
    const isInPlace = folder === undefined || CONCEPTS[domain]?.includes(folder) === true;
    return !isInPlace || !kinds.test(path);
  });
  expect(unknown).toEqual([]);
});

test('a rule reads no clock and calls nobody', () => {
  const wrong = filesAt('src/domains/**/*.rules.ts').filter((path) =>
    /\bDate\.now\(|\bnew Date\(\)|\bfetch\(|\bsql(<[^`]*>)?`|\bprocess\./.test(readText(path)),
  );
  expect(wrong).toEqual([]);
});

test('every test file belongs to one of the two suites', async () => {
  const suites = ['jest.config.js', 'jest.system.config.js'].map(async (file) => {
    const { default: config } = (await import(join(FOLDER, file))) as { default: { projects: { testMatch: string[] }[] } };
    return config.projects.flatMap(({ testMatch }) => testMatch.map((pattern) => pattern.replace('<rootDir>/', '')));
  });
  const patterns = (await Promise.all(suites)).flat();
  expect(patterns.flatMap((pattern) => filesAt(pattern)).sort()).toEqual(filesAt('test/**/*.test.ts'));
});

test('only the database module writes pending changes, before a statement and at the end of a transaction', () => {
  const outside = filesAt(...PRODUCT).filter((path) => !path.startsWith('src/platform/database/'));
  expect(outside.filter((path) => /\.flush\(/.test(readText(path)))).toEqual([]);
});

test('no unfinished work is marked in comments, and no test is skipped', () => {
  const all = filesAt(...PRODUCT, ...TESTS, 'migrations/*.ts').filter((path) => path !== 'test/architecture/conventions.test.ts');
  expect(all.filter((path) => /\b(TODO|FIXME|XXX|HACK)\b/.test(readText(path)))).toEqual([]);
  const skipped = /\b(it|test|describe)\s*\.\s*(only|skip|todo|failing)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\(/;
  expect(all.filter((path) => skipped.test(readText(path)))).toEqual([]);
});

test('no rule is disabled without a reason', () => {
  const all = filesAt(...PRODUCT, ...TESTS, 'migrations/*.ts').filter((path) => path !== 'test/architecture/conventions.test.ts');
  expect(all.filter((path) => /@ts-(ignore|nocheck)|biome-ignore [\w/]+:?\s*$/m.test(readText(path)))).toEqual([]);
});

test('every top-level folder of code has a README', () => {
  const folders = filesAt('src/*/', 'workflows', 'activities').filter(
    (path) => filesAt(`${path}/*.ts`, `${path}/*/*.ts`).length > 0,
  );
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((folder) => filesAt(`${folder}/README.md`).length === 0)).toEqual([]);
});

test('every file in use-cases exports use cases and types; a use case alone gives its file its name', () => {
  const wrong = filesAt('src/domains/*/use-cases/*.ts').flatMap((path) => {
    const values = [...readText(path).matchAll(/^export (?!type |interface )(?:(?:async function|const) ([a-z]\w*)|(.*))/gm)];
    const names = values.map(([, name]) => name);
    const isNamed = names.length > 0 && names.every((name) => name !== undefined);
    return isNamed && (names.length > 1 || names[0] === camelCase(path)) ? [] : [`${path} exports ${values.join(', ')}`];
  });
  expect(wrong).toEqual([]);
});

/** Texts are documentation: they do not make a declaration harder to read. */
const declarationLines = (declaration: string): number =>
  declaration.split('\n').filter((line) => !/^ *((description|summary):|['"`])/.test(line)).length - 2;

test('every operation is declared in at most 12 lines, without its texts', () => {
  const tooLong = filesAt('src/**/*.routes.ts').flatMap((path) =>
    [...readText(path).matchAll(/^( *)\w*operation\(\{\n[\s\S]*?^\1\}\)/gim)]
      .filter(([declaration]) => declarationLines(declaration) > MAX_OPERATION_LINES)
      .map(([declaration]) => `${path}: ${/id: '(\w+)'/.exec(declaration)?.[1]}`),
  );
  expect(tooLong).toEqual([]);
});
