import { timingSafeEqual } from 'node:crypto';
import type { FieldCipher } from './field-cipher.ts';

type Digester = Pick<FieldCipher, 'digest'>;

const signatureOf = (cipher: Digester, purpose: string, payload: string): string => cipher.digest(payload, purpose).slice(0, 32);

/** The text and its signature, for URLs. Anybody can read the text; a token of one purpose is none of another. */
export const signToken = (cipher: Digester, purpose: string, text: string): string => {
  const payload = Buffer.from(text).toString('base64url');
  return `${payload}.${signatureOf(cipher, purpose, payload)}`;
};

/** The text of a token that was signed for this purpose, else null. */
export const readToken = (cipher: Digester, purpose: string, token: string): string | null => {
  const [payload = ''] = token.split('.');
  const expected = Buffer.from(`${payload}.${signatureOf(cipher, purpose, payload)}`);
  const given = Buffer.from(token);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return Buffer.from(payload, 'base64url').toString();
};
