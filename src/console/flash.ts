import type { FieldCipher } from '../platform/crypto/field-cipher.ts';
import { readToken, signToken } from '../platform/crypto/signed-token.ts';
import type { Cookie } from './cookies.ts';

/** A message that the next page shows, once. */
export interface Flash {
  text: string;
  tone: 'good' | 'bad';
}

const PURPOSE = 'flash';
const MAX_LENGTH = 500;
const LIFETIME_SECONDS = 60;

type Signer = Pick<FieldCipher, 'digest'>;

/** Signed: nobody else can make a page say something. Anybody with the browser can read it, so it holds no secret. */
export const flashCookie = (cipher: Signer, { text, tone }: Flash): Cookie => ({
  value: signToken(cipher, PURPOSE, JSON.stringify([tone, text.slice(0, MAX_LENGTH)])),
  maxAgeSeconds: LIFETIME_SECONDS,
});

export const readFlash = (cipher: Signer, value: string | undefined): Flash | null => {
  const read = value === undefined ? null : readToken(cipher, PURPOSE, value);
  if (read === null) return null;
  const [tone, text] = JSON.parse(read) as [Flash['tone'], string];
  return { tone, text };
};
