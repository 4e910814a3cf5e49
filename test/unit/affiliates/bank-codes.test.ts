import fc from 'fast-check';
import { parseBic, parseIban } from '../../../src/domains/affiliates/bank-codes.rules.ts';

// Examples of the SWIFT IBAN registry.
const REGISTRY = [
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'NL91ABNA0417164300',
  'FR1420041010050500013M02606',
  'MT84MALT011000012345MTLCAST001S',
  'NO9386011117947',
];

test.each(REGISTRY)('%s is valid', (iban) => {
  expect(parseIban(iban)).toBe(iban);
});

test('spaces are removed and letters are upper-cased', () => {
  expect(parseIban(' de89 3704 0044 0532 0130 00 ')).toBe('DE89370400440532013000');
});

test('BR12: invisible characters of copied text are dropped', () => {
  expect(parseIban('\u202aDE89 3704\u200b 0044\u00a00532 0130\ufeff 00\u202c\t')).toBe('DE89370400440532013000');
  expect(parseBic('\u200eCOBA DE FF\u00adXXX\u2069')).toBe('COBADEFFXXX');
});

test('any single wrong digit makes an IBAN invalid', () => {
  fc.assert(
    fc.property(fc.constantFrom(...REGISTRY), fc.nat(), fc.integer({ min: 1, max: 9 }), (iban, seed, shift) => {
      const places = [...iban.matchAll(/\d/g)].map((match) => match.index);
      const at = places[seed % places.length] ?? 2;
      const digit = (Number(iban[at]) + shift) % 10;
      expect(parseIban(iban.slice(0, at) + digit + iban.slice(at + 1))).toBeNull();
    }),
  );
});

test.each(['', 'DE89', '89370400440532013000', 'DE89-3704-0044-0532-0130-00', `DE89${'3'.repeat(40)}`, 'ДЕ89370400440532013000'])(
  '"%s" is not an IBAN',
  (text) => {
    expect(parseIban(text)).toBeNull();
  },
);

test.each([
  ['the wrong length for its country', 'DE5137040044053201300'],
  ['the wrong format for its country', 'DE0537040044053201300A'],
  ['an unknown country', 'XX46370400440532013000'],
])('correct check digits with %s are not an IBAN', (_name, text) => {
  expect(parseIban(text)).toBeNull();
});
