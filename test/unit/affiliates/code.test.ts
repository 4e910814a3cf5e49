import fc from 'fast-check';
import { codeFromName, isReserved, parseCode, randomCode, withRandomSuffix } from '../../../src/domains/affiliates/code.ts';

test.each([
  ['Ada Byron', 'adabyron'],
  ['Zoë Krüger-Straß', 'zoekrugerstra'],
  ['李', 'partner'],
  ['Al', 'partner'],
  ['Maximiliana Konstantinopolous', 'maximilianakonstanti'],
])('the name "%s" gives the code %s', (name, code) => {
  expect(codeFromName(name)).toBe(code);
});

test('a code generated from any name is valid, with and without a suffix', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
      const code = codeFromName(name);
      expect(parseCode(code)).toBe(code);
      const suffixed = withRandomSuffix(code);
      expect(parseCode(suffixed)).toBe(suffixed);
      expect(suffixed.startsWith(`${code}-`)).toBe(true);
    }),
  );
});

test('random codes are valid, differ, and are never reserved words', () => {
  const codes = Array.from({ length: 1_000 }, randomCode);
  expect(new Set(codes).size).toBe(1_000);
  expect(codes.filter((code) => parseCode(code) !== code || isReserved(code))).toEqual([]);
});

test.each(['admin', 'api', 'support', 'tributary'])('"%s" is reserved', (code) => {
  expect(isReserved(code)).toBe(true);
});

test('a requested code is lower-cased', () => {
  expect(parseCode(' Ada_B-1 ')).toBe('ada_b-1');
});

test.each(['', 'ab', 'a'.repeat(51), 'ada byron', 'ada/byron', 'ädä', 'ada.b'])('"%s" is not a valid code', (text) => {
  expect(parseCode(text)).toBeNull();
});
