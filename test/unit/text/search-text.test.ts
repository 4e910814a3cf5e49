import fc from 'fast-check';
import { foldText, searchPatternOf, searchTextOf } from '../../../src/platform/search-text.ts';

test.each([
  ['Jos\u00e9 M\u00fcller', 'jose muller'],
  ['Jose\u0301 Mu\u0308ller', 'jose muller'],
  ['STRA\u00dfE', 'strasse'],
  ['\u0141ukasz S\u00f8rensen \u00c6bleskiver', 'lukasz sorensen aebleskiver'],
  ['\u0130stanbul Diyarbak\u0131r', 'istanbul diyarbakir'],
  ['\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c3'],
  ['\u0415\u0416\u0418\u041a', '\u0435\u0436\u0438\u043a'],
  ['\uff21\uff24\uff21', 'ada'],
  ['A\u200bd\u202ea\u00ad', 'ada'],
])('BR12: %s is compared as %s', (text, folded) => {
  expect(foldText(text)).toBe(folded);
});

test('BR12: whatever way a name is typed, a part of it finds it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (name) => {
      const text = foldText(name);
      for (const typed of [name.normalize('NFC'), name.normalize('NFD'), text]) expect(foldText(typed)).toBe(text);
      expect(searchTextOf('code', name, null)).toBe(`code\n${text}\n`);
    }),
  );
});

test('BR12: a search has no wildcards of its own, in any width', () => {
  expect(searchPatternOf('50%_a\\')).toBe('%50\\%\\_a\\\\%');
  expect(searchPatternOf('\uff05')).toBe('%\\%%');
});
