/** `sepa`: the characters that every bank takes. `latin1`: letters with accents too, where the bank agreed to them. */
export const SEPA_CHARSETS = ['sepa', 'latin1'] as const;
export type SepaCharset = (typeof SEPA_CHARSETS)[number];

export interface SentText {
  text: string;
  /** The text differs from the original in more than spaces. */
  isChanged: boolean;
  /** A letter has no counterpart, so another name would be paid. */
  isLossy: boolean;
}

const BASIC = /[A-Za-z0-9/\-?:().,'+ ]/;
const LATIN1_LETTER = /[\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u00FF]/;

/** Letters that a decomposition does not lead to basic ones; German ones as German banks write them. */
const LATIN: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŋ: 'ng',
  ŧ: 't',
  ı: 'i',
  ĸ: 'k',
  ŀ: 'l',
  ə: 'a',
};

/** ISO 843 and the national transliterations of Bulgarian and Serbian, in alphabetical order. */
const GREEK = pairs('αβγδεζηθικλμνξοπρσςτυφχψω', 'a v g d e z i th i k l m n x o p r s s t y f ch ps o');
const CYRILLIC = pairs(
  'абвгдежзийклмнопрстуфхцчшщъьюяыэђјљњћџѓќѕ',
  'a b v g d e zh z i y k l m n o p r s t u f h ts ch sh sht a y yu ya y e dj j lj nj c dz g k dz',
);

/** Signs that read as others. */
const SIGNS: Readonly<Record<string, string>> = {
  '&': '+',
  _: '-',
  '–': '-',
  '—': '-',
  '‐': '-',
  '‑': '-',
  '’': "'",
  '‘': "'",
  '`': "'",
  '´': "'",
  ';': ',',
  '[': '(',
  '{': '(',
  ']': ')',
  '}': ')',
  '\\': '/',
  '|': '/',
};

function pairs(from: string, to: string): Readonly<Record<string, string>> {
  const targets = to.split(' ');
  return Object.fromEntries([...from].map((letter, at) => [letter, targets[at] ?? '']));
}

const LETTERS: Readonly<Record<string, string>> = { ...LATIN, ...GREEK, ...CYRILLIC };

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Null for a letter without a counterpart. */
const basicOf = (char: string): string | null => {
  if (BASIC.test(char)) return char;
  if (/\s/.test(char)) return ' ';
  const lower = char.toLowerCase();
  const known = LETTERS[char] ?? LETTERS[lower];
  if (known !== undefined) return char === lower || LETTERS[char] !== undefined ? known : capitalized(known);
  const base = char.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  if (base !== char && base !== '') return joined([...base].map((part) => basicOf(part)));
  if (/\p{M}/u.test(char)) return '';
  return SIGNS[char] ?? (/\p{L}|\p{N}/u.test(char) ? null : ' ');
};

const joined = (parts: readonly (string | null)[]): string | null =>
  parts.some((part) => part === null) ? null : parts.join('');

/**
 * A text as it may stand in a bank file: in its characters, without repeated spaces, and without slashes where banks refuse them. Emoji and
 * other signs become spaces, which banks ignore.
 */
export const asSent = (original: string, charset: SepaCharset, max: number): SentText => {
  let isLossy = false;
  const chars = [...original.normalize('NFC')].map((char) => {
    if (charset === 'latin1' && LATIN1_LETTER.test(char)) return char;
    const basic = basicOf(char);
    if (basic === null) isLossy = true;
    return basic ?? ' ';
  });
  const line = chars
    .join('')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/\s+/g, ' ');
  const text = [...trimmed(line)].slice(0, max).join('');
  const sent = trimmed(text);
  return { text: sent, isChanged: sent !== original.trim().replaceAll(/\s+/g, ' '), isLossy };
};

const isEdge = (char: string | undefined): boolean => char === ' ' || char === '/';

const trimmed = (text: string): string => {
  let [from, to] = [0, text.length];
  while (from < to && isEdge(text[from])) from += 1;
  while (to > from && isEdge(text[to - 1])) to -= 1;
  return text.slice(from, to);
};
