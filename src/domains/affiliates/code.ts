import { randomInt } from 'node:crypto';
import { REFERRAL_CODE } from '../../contracts/affiliates.ts';

const MAX_NAME_LENGTH = 20;
/** Without characters that look alike. */
const RANDOM_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const SUFFIX_LENGTH = 5;
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

/** The ASCII letters and digits of a name; "partner" when fewer than three are left. */
export const codeFromName = (name: string): string => {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, MAX_NAME_LENGTH);
  return letters.length >= 3 ? letters : 'partner';
};

const randomText = (length: number): string =>
  Array.from({ length }, () => RANDOM_ALPHABET[randomInt(RANDOM_ALPHABET.length)]).join('');

/** Appends one of 28 million random suffixes, for names whose code is in use. */
export const withRandomSuffix = (code: string): string => `${code}-${randomText(SUFFIX_LENGTH)}`;

/** One of 8 × 10^14 codes. */
export const randomCode = (): string => randomText(RANDOM_LENGTH);
