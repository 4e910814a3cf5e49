/** Accents, and what nobody sees. */
const UNCOMPARED = /[\u0300-\u036f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Letters that no normalization takes apart. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  ς: 'σ',
};
const LETTER = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g');

/** A text as searches compare it: without case and accents. The function `fold_text` of the database does the same. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(UNCOMPARED, '')
    .replaceAll(LETTER, (letter) => PLAIN_LETTERS[letter] ?? letter);

/** What a search looks through: one line for each part, so that nothing matches across two of them. */
export const searchTextOf = (...parts: readonly (string | null | undefined)[]): string =>
  parts.map((part) => foldText(part ?? '')).join('\n');

/** LIKE pattern over folded text; `%`, `_` and `\\` in the search stand for themselves. */
export const searchPatternOf = (search: string): string => `%${foldText(search).replaceAll(/[\\%_]/g, '\\$&')}%`;
