import { timingSafeEqual } from 'node:crypto';
import type { FieldCipher } from '../../platform/crypto/field-cipher.ts';
import type { StripeConnect } from './stripe-connect.calls.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    /** Null when Stripe Connect is not configured. */
    stripeConnect: StripeConnect | null;
  }
}

const PURPOSE = 'stripe-connect-state';

/** The `state` of an OAuth request: a random id and its signature, so that an invented one costs no query. */
export const signStripeState = (cipher: FieldCipher, id: string): string => `${id}.${cipher.digest(id, PURPOSE)}`;

/** The id of a state that this installation signed; null for any other text. */
export const readStripeState = (cipher: FieldCipher, state: string): string | null => {
  const [, id, signature] = /^([0-9a-f-]{36})\.([0-9a-f]{64})$/.exec(state) ?? [];
  if (id === undefined || signature === undefined) return null;
  return timingSafeEqual(Buffer.from(cipher.digest(id, PURPOSE)), Buffer.from(signature)) ? id : null;
};
