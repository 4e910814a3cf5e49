import { filesAt, PRODUCT, readText } from './project.ts';

const linesOf = (path: string): number => readText(path).trimEnd().split('\n').length;

const TESTS = ['test/**/*.ts', 'bench/**/*.ts'];
const MAX_LINES = 250;
const MAX_TEST_LINES = 400;
const MAX_EXPORTS_OF_A_DOOR = 12;

test('no file is longer than one can read at once', () => {
  expect(filesAt(...PRODUCT).filter((path) => linesOf(path) > MAX_LINES)).toEqual([]);
  expect(filesAt(...TESTS).filter((path) => linesOf(path) > MAX_TEST_LINES)).toEqual([]);
});

test('files are short as a rule', () => {
  const lengths = filesAt(...PRODUCT)
    .map(linesOf)
    .sort((a, b) => a - b);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(60);
});

test('a door offers few things, each by name', () => {
  const wide = filesAt('src/domains/*/index.ts').filter((path) => {
    const names = readText(path).matchAll(/export (?:type )?\{([^}]*)\}/g);
    const offered = [...names].flatMap(([, list = '']) => list.split(',').filter((name) => name.trim() !== ''));
    return offered.length > MAX_EXPORTS_OF_A_DOOR || /export \*/.test(readText(path));
  });
  expect(wide).toEqual([]);
});

test('files are named for what they hold, in kebab-case', () => {
  const all = filesAt(...PRODUCT, ...TESTS);
  expect(all.filter((path) => !/^[a-z0-9-]+(\.[a-z]+)*\.ts$/.test(path.split('/').at(-1) ?? ''))).toEqual([]);
  expect(all.filter((path) => /(^|\/)(utils?|helpers?|common|misc|manager|service|data|info)(\/|\.ts$)/.test(path))).toEqual([]);
});

test('a room holds the six kinds of file and rules with a name of their own', () => {
  const kinds = /\/(index|[\w-]+\.(routes|examples|wire|entity|queries)|[\w-]+)\.ts$/;
  const folders = /^src\/domains\/[^/]+\/(use-cases|rules|rails)\//;
  const odd = filesAt('src/domains/*/**/*.ts').filter(
    (path) => !kinds.test(path) || (path.split('/').length > 4 && !folders.test(path)),
  );
  expect(odd).toEqual([]);
});

test('nothing is left for later, and no test is left out', () => {
  const all = filesAt(...PRODUCT, ...TESTS, 'migrations/*.ts').filter((path) => path !== 'test/architecture/conventions.test.ts');
  expect(all.filter((path) => /\b(TODO|FIXME|XXX|HACK)\b/.test(readText(path)))).toEqual([]);
  const left = /\b(it|test|describe)\s*\.\s*(only|skip|todo|failing)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\(/;
  expect(all.filter((path) => left.test(readText(path)))).toEqual([]);
});

test('no rule is switched off without a reason next to it', () => {
  const all = filesAt(...PRODUCT, ...TESTS, 'migrations/*.ts').filter((path) => path !== 'test/architecture/conventions.test.ts');
  expect(all.filter((path) => /@ts-(ignore|nocheck)|biome-ignore [\w/]+:?\s*$/m.test(readText(path)))).toEqual([]);
});

test('every room of code has a page that says what it is', () => {
  const rooms = [
    'src/api',
    'src/contracts',
    'src/domains',
    'src/local-stack',
    'src/platform',
    'src/relay',
    'workflows',
    'activities',
  ];
  expect(rooms.filter((room) => filesAt(`${room}/README.md`).length === 0)).toEqual([]);
});
