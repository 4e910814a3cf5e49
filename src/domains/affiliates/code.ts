import { randomInt } from 'node:crypto';

const SHAPE = /^[a-z0-9_-]{3,50}$/;
const LONGEST_NAME_PART = 20;
const TAIL = 'abcdefghjkmnpqrstuvwxyz23456789';
const TAIL_LENGTH = 5;

/** A wanted code in lower case; null when it cannot be one. */
export const codeOf = (text: string): string | null => {
  const code = text.trim().toLowerCase();
  return SHAPE.test(code) ? code : null;
};

/** The letters and digits of a name; "partner" when too few of them are left. */
export const codeFromName = (name: string): string => {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, LONGEST_NAME_PART);
  return letters.length >= 3 ? letters : 'partner';
};

/** The same with a random tail (29 million of them), for names that are taken. */
export const withTail = (code: string): string =>
  `${code}-${Array.from({ length: TAIL_LENGTH }, () => TAIL[randomInt(TAIL.length)]).join('')}`;
