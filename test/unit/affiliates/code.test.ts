import fc from 'fast-check';
import { codesOfName, isReserved, parseCode, randomCode } from '../../../src/domains/affiliates/code.rules.ts';

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

test('codes of any name are valid, and none reads as a voice of the installation', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (name) => {
      for (const code of codesOfName(name)) expect([parseCode(code), isReserved(code)]).toEqual([code, false]);
    }),
  );
  expect(codesOfName('Support Team')).toEqual([]);
});
