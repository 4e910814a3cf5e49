import { parseSync } from '@swc/core';
import { analyse } from 'scslre';
import { filesAt, readText } from './project.ts';

interface Pattern {
  path: string;
  source: string;
  flags: string;
}

/** What reads files of this repository, and programs of the operator, who chooses what they read. */
const OF_OPERATORS = /^(bin\/|src\/(cli|local|audit)\/|src\/(config|api\/documents|api\/guides)\.ts$)/;

const isLiteral = (node: object): node is { type: string; pattern: string; flags: string } =>
  'type' in node && node.type === 'RegExpLiteral';

const literalsIn = (node: unknown): { pattern: string; flags: string }[] => {
  if (typeof node !== 'object' || node === null) return [];
  if (isLiteral(node)) return [node];
  return Object.values(node).flatMap(literalsIn);
};

const patternsOf = (path: string): Pattern[] =>
  literalsIn(parseSync(readText(path), { syntax: 'typescript' })).map(({ pattern, flags }) => ({ path, source: pattern, flags }));

const files = filesAt('src/**/*.ts', 'workflows/**/*.ts', 'activities/**/*.ts').filter((path) => !OF_OPERATORS.test(path));
const patterns = files.flatMap(patternsOf);

/** How a pattern takes more than linear time for a text that repeats a character. */
const slownessOf = ({ source, flags }: Pick<Pattern, 'source' | 'flags'>): string[] =>
  analyse(new RegExp(source, flags)).reports.map(({ type, character }) => `${type} of ${character.pick}`);

test('NS1: no pattern takes more than linear time', () => {
  expect(patterns.length).toBeGreaterThan(100);
  const slow = patterns
    .map((pattern) => ({ ...pattern, slowness: slownessOf(pattern) }))
    .filter(({ slowness }) => slowness.length > 0);
  expect(slow).toEqual([]);
});

test('NS1: patterns that start again at each character, or read a character in two ways, are found out', () => {
  for (const slow of [/(?<=.)\+.*$/, /\s+$/, /^(a+)+$/, /a.*b.*c/])
    expect([slow.source, slownessOf(slow).length > 0]).toEqual([slow.source, true]);
  for (const linear of [/^\s+/, /[^a-z]+/g, /^[^@]+@[^@]+$/, / {2,}/g]) expect(slownessOf(linear)).toEqual([]);
});

/** Patterns that are put together are not literals: `test/unit/text/linear-texts.test.ts` reads long texts with each of them. */
const COMPOSED = [
  'src/domains/auth/api-key-format.rules.ts',
  'src/domains/ledger/books.wire.ts',
  'src/domains/notifications/mail-content.rules.ts',
  'src/domains/resources/render-text.rules.ts',
  'src/domains/webhooks/events/events.wire.ts',
  'src/platform/csv/csv-line.ts',
  'src/platform/host-name.ts',
  'src/platform/http/schemas.ts',
  'src/platform/http/web-page.ts',
  'src/platform/http/web-urls.ts',
  'src/platform/search-text.ts',
];

test('NS1: patterns that are put together are known', () => {
  const composed = files.filter((path) => !path.includes('browser-script') && /\bRegExp\(/.test(readText(path)));
  expect(composed).toEqual(COMPOSED);
});
