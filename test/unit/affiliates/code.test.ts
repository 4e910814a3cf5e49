import fc from 'fast-check';
import { codeFromName, codeOf, withTail } from '../../../src/domains/affiliates/code.ts';

test.each([
  ['Ada Byron', 'adabyron'],
  ['Zoë Krüger-Straß', 'zoekrugerstra'],
  ['李', 'partner'],
  ['Al', 'partner'],
  ['Maximiliana Konstantinopolous', 'maximilianakonstanti'],
])('the name "%s" gives the code %s', (name, code) => {
  expect(codeFromName(name)).toBe(code);
});

test('whatever the name, its code can be taken, with and without a tail', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
      const code = codeFromName(name);
      expect(codeOf(code)).toBe(code);
      const tailed = withTail(code);
      expect(codeOf(tailed)).toBe(tailed);
      expect(tailed.startsWith(`${code}-`)).toBe(true);
    }),
  );
});

test('a wanted code is lower-cased', () => {
  expect(codeOf(' Ada_B-1 ')).toBe('ada_b-1');
});

test.each(['', 'ab', 'a'.repeat(51), 'ada byron', 'ada/byron', 'ädä', 'ada.b'])('"%s" cannot be a code', (text) => {
  expect(codeOf(text)).toBeNull();
});
