import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KEY_PREFIXES, KEY_TYPES, type KeyType } from '../../contracts/scopes.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_LENGTH = 43;
const CHECK_LENGTH = 6;
const SHAPE = new RegExp(`^[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`);

const base62 = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = (ALPHABET[Number(rest % 62n)] ?? '') + text;
  return text;
};

const checksum = (text: string): string => base62(BigInt(crc32(text)), CHECK_LENGTH);

/** `<prefix><32 random bytes in base62><CRC-32 in base62>`: 256 bits of entropy, and a mistyped key is rejected without a query. */
export const generateApiKey = (keyType: KeyType): string => {
  const text = KEY_PREFIXES[keyType] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), BODY_LENGTH);
  return text + checksum(text);
};

/** Key type of a well-formed key; null when the text cannot be a key. */
export const keyTypeOf = (text: string): KeyType | null => {
  const keyType = KEY_TYPES.find((type) => text.startsWith(KEY_PREFIXES[type]));
  if (!keyType || !SHAPE.test(text.slice(KEY_PREFIXES[keyType].length))) return null;
  return checksum(text.slice(0, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH) ? keyType : null;
};

/** SHA-256 in base64. */
export const hashKey = (text: string): string => hash('sha256', text, 'base64');
