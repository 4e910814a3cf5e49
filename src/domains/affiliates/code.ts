import { randomInt } from 'node:crypto';

const SHAPE = /^[a-z0-9_-]{3,50}$/;
const MAX_NAME_LENGTH = 20;
const SUFFIX_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const SUFFIX_LENGTH = 5;

/** The code in lower case; null when it is malformed. */
export const parseCode = (text: string): string | null => {
  const code = text.trim().toLowerCase();
  return SHAPE.test(code) ? code : null;
};

/** The ASCII letters and digits of a name; "partner" when fewer than three are left. */
export const codeFromName = (name: string): string => {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, MAX_NAME_LENGTH);
  return letters.length >= 3 ? letters : 'partner';
};

/** Appends one of 29 million random suffixes, for names whose code is in use. */
export const withRandomSuffix = (code: string): string =>
  `${code}-${Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)]).join('')}`;
