import { globSync, readFileSync } from 'node:fs';
import { germanIssue } from '../../../src/console/texts/de/issues.ts';
import { de } from '../../../src/console/texts/de.ts';
import { en } from '../../../src/console/texts/en.ts';
import { languageOf, localeIn, type Texts } from '../../../src/console/texts/texts.ts';

/** All texts with their path; functions are called with numbers. */
const textsIn = (texts: object, at = ''): [path: string, text: string][] =>
  Object.entries(texts).flatMap(([name, value]): [string, string][] => {
    const path = `${at}.${name}`;
    if (typeof value === 'object' && value !== null) return textsIn(value, path);
    return [[path, typeof value === 'function' ? String(value('7', '9')) : String(value)]];
  });

/** The words of the API, and names that are the same. */
const SAME_IN_BOTH = /\.(issue|passkeys|passkeyName)$/;

test('a missing and an unknown text do not compile', () => {
  // @ts-expect-error a text is missing
  const missing: Texts = { kit: { ...en.kit, signIn: undefined } };
  // @ts-expect-error no text has this name
  const unknown: Texts = { ...en, nothing: {} };
  expect([missing, unknown]).toHaveLength(2);
});

test('every text is there in both languages, and translated', () => {
  const [english, german] = [textsIn(en), new Map(textsIn(de))];
  expect([...german.keys()].sort()).toEqual(english.map(([path]) => path).sort());
  expect(english.filter(([path, text]) => text === german.get(path) && !SAME_IN_BOTH.test(path))).toEqual([]);
  expect([...english, ...german].filter(([, text]) => text.trim() === '' || /undefined|\[object/.test(text))).toEqual([]);
});

test.each([
  ['de-AT', 'de'],
  ['DE', 'de'],
  ['en-GB', 'en'],
  ['fr', 'en'],
  ['', 'en'],
])('the language of %j is %s', (locale, language) => {
  expect(languageOf(locale)).toBe(language);
});

test.each([
  ['fr-FR,fr;q=0.9,de-CH;q=0.8,en;q=0.7', 'de-CH'],
  ['en-US,en;q=0.9', 'en-US'],
  ['*', 'en'],
  ['<script>', 'en'],
  [undefined, 'en'],
  [`${'x'.repeat(10_000)},de`, 'en'],
])('a browser that asks for %j gets %s', (header, locale) => {
  expect(localeIn(header)).toBe(locale);
});

test('what the API says about a field is said in German, or stays as it is', () => {
  expect(germanIssue('must be at most 100')).toBe('darf höchstens 100 sein');
  expect(germanIssue('is not a valid IBAN')).toBe('ist keine gültige IBAN');
  expect(germanIssue('must be something new')).toBe('must be something new');
});

/** A call of the API, or a parameter of its path. */
const CALL = /\b(GET|POST|PUT|PATCH|DELETE) \/|\{id\}/;

test('IN16: no text of a page is a call of the API', () => {
  expect([...textsIn(en), ...textsIn(de)].filter(([, text]) => CALL.test(text))).toEqual([]);
  const pages = globSync('src/console/pages/**/*.ts').filter((path) =>
    /(GET|POST|PUT|PATCH|DELETE) \//.test(readFileSync(path, 'utf8')),
  );
  expect(pages).toEqual([]);
});
