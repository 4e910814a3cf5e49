import fc from 'fast-check';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { foldText } from '../../../src/platform/search-text.ts';
import { useTestApi } from '../../support/api.ts';

const api = useTestApi();

test('BR12: the database compares texts as searches do', async () => {
  const letters = Array.from({ length: 0x24f - 0xa1 }, (_, at) => String.fromCodePoint(0xa1 + at));
  const others = [
    ...'\u0391\u03a3\u03c2\u0386\u0419\u0451\u0416\u05d0\u0639\u304c\u30d7\uac00\u4e2d\ufb01\u2122\uff21 -\u0301\u0308\u200b\u202e\ufeff',
  ];
  const texts = fc.sample(fc.string({ unit: fc.constantFrom(...letters, ...others), maxLength: 12 }), 500);
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  const found = await rows<{ text: string; folded: string }>(
    em,
    sql`select text, fold_text(text) as folded from unnest(${[...letters, ...texts]}::text[]) as text`,
  );
  expect(found.length).toBe(letters.length + texts.length);
  expect(found.filter(({ text, folded }) => folded !== foldText(text))).toEqual([]);
});
