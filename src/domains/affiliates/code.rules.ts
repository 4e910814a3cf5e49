import { randomInt } from 'node:crypto';
import { REFERRAL_CODE } from '../../contracts/affiliates.ts';
import { foldText } from '../../platform/search-text.ts';

/** Without characters that look alike. */
const RANDOM_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const RANDOM_LENGTH = 10;

/** Codes that would read as a page or a voice of the installation or of a merchant. */
const RESERVED_CODES: ReadonlySet<string> = new Set(
  `account admin administrator affiliate affiliates api app auth billing checkout console dashboard docs favicon health help home
  index invite invites legal login logout marketplace me merchant merchants metrics null official openapi payment payments payout
  payouts portal privacy program programs register robots root script security settings signin signup static status stripe support
  system terms tracking tributary undefined webhook webhooks www`.split(/\s+/),
);

export const isReserved = (code: string): boolean => RESERVED_CODES.has(code);

/** The code in lower case; null when it is malformed. */
export const parseCode = (text: string): string | null => {
  const code = text.trim().toLowerCase();
  return REFERRAL_CODE.test(code) ? code : null;
};

const WORD = /[a-z]{2,}/g;
const MAX_WORD_LENGTH = 20;
/** Two digits first: short codes are remembered. Frequent names get more. */
const DIGITS = [2, 2, 3, 3, 4, 5, 6] as const;

const digits = (count: number): string => String(randomInt(10 ** (count - 1), 10 ** count));

/**
 * Codes to try for somebody of this name, such as "nina42" for "Nina Petrović". None for a name in another script, and for one that would
 * read as a voice of the installation.
 */
export const codesOfName = (name: string): string[] => {
  const [word = ''] = foldText(name).match(WORD) ?? [];
  const start = word.slice(0, MAX_WORD_LENGTH);
  return start === '' || isReserved(word) ? [] : DIGITS.map((count) => `${start}${digits(count)}`);
};

/** One of 8 × 10^14 codes. */
export const randomCode = (): string =>
  Array.from({ length: RANDOM_LENGTH }, () => RANDOM_ALPHABET[randomInt(RANDOM_ALPHABET.length)]).join('');
