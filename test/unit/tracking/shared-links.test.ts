import fc from 'fast-check';
import { REFERRAL_CODE } from '../../../src/contracts/affiliates.ts';
import { findCode, findWord, repairQuery } from '../../../src/domains/tracking/browser-script/shared-links.ts';
import { readLanding } from '../../../src/domains/tracking/landing.rules.ts';

/** What stands around a link in texts, and what is left of the character after it. */
const CLOSING = [
  ...['/', '//', '.', ',', ';', ':', '!', '?', '...', '…', ')', ').', ']', '}', '>', '"', "'", '*', '**', '~', '|', '\\', '`'],
  ...['”', '’', '»', '。', '，', '、', '）', '」', '！', '👍', '❤️', '→', '–'],
  ...[' ', '\u00a0', '\t', '\n', '\r\n', '\u3000', '\u2028'],
  ...['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u200e', '\u202c', '\u2069', '\ufe0f', '\u3164', '\u{e0020}'],
  ...['%', '%2', '%20', '%2F', '%0A', '%0D%0A', '%E2%80%8B', '%C2%A0', '%E2%80', '%FF', '%2520', '%252F', '%22%3E', '%3C/a%3E'],
  ...[
    '&amp;',
    '&nbsp;',
    '&#39;',
    '&#x27;',
    '&quot;',
    '&gt;',
    '&',
    '&amp;utm_source=mail',
    '&utm_source=mail',
    '?utm_source=mail',
  ],
  ...['%3Futm_source=mail', '%26amp%3Butm_source=mail', '#top', '"><img', '</a>', '](https://tributary.example/r/other)', ')and'],
];
const OPENING = ['', ' ', '/', '“', '"', '<', '(', '\u200b', '%20', '%E2%80%9C', '*', '\n'];

test.each(CLOSING)('a code is found before %j', (closing) => {
  expect(OPENING.map((opening) => findCode(`${opening}Nina_42-x${closing}`))).toEqual(OPENING.map(() => 'nina_42-x'));
});

test.each([
  'nina.smith',
  'nina+smith',
  'nina@acme.example',
  'nina/smith',
  'nina smith',
  'ninaé',
  'éé',
  'nína',
  'nina=1',
  'a%00b',
  'ni',
  '',
])('%j is no code: what is written is something else', (text) => expect(findCode(text)).toBeNull());

test.each(['ni\u200bna', 'ni\u00adna', '\u202anina\u202c', 'ni%E2%80%8Bna'])('invisible characters are no part of %j', (text) => {
  expect(findCode(text)).toBe('nina');
});

test('a hyphen that a word processor replaced is one', () => {
  expect(['nina\u2011pro', 'nina\u2010pro', 'nina%E2%80%91pro'].map(findCode)).toEqual(['nina-pro', 'nina-pro', 'nina-pro']);
});

test('every code is found in itself, and whatever is found is a code', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9_-]{3,50}$/), fc.string({ unit: 'binary', maxLength: 200 }), (code, text) => {
      expect(findCode(code)).toBe(code);
      expect(findCode(text) ?? 'none').toMatch(REFERRAL_CODE);
      for (const closing of CLOSING) expect(findCode(`${code}${closing}`)).toBe(code);
    }),
  );
});

test('a word keeps its case', () => expect(findWord('aB-9_.')).toBe('aB-9_'));

test.each([
  ['a=1&amp;b=2', 'a=1&b=2'],
  ['a=1&amp;amp;b=2&AMP;c=3', 'a=1&b=2&c=3'],
  ['a=1?via=nina', 'a=1&via=nina'],
  ['a=1?via=x?utm_source=y?b=2', 'a=1&via=x&utm_source=y?b=2'],
  ['next=/a?b=c', 'next=/a?b=c'],
  ['?via=nina', '&via=nina'],
  ['', ''],
  ['a=50%off&b=%ff', 'a=50%off&b=%ff'],
])('the query %s is read as %s', (query, repaired) => {
  expect(repairQuery(query, ['via', 'utm_source'])).toBe(repaired);
});

test('the campaign of a page is read from a damaged query, too', () => {
  const pageUrl = 'https://acme.example/?a=1&amp;utm_source=mail&amp;utm_medium=email?utm_campaign=may';
  expect(readLanding({ pageUrl, referrer: null })).toMatchObject({
    source: 'mail',
    campaign: { utm_source: 'mail', utm_medium: 'email', utm_campaign: 'may' },
  });
});
