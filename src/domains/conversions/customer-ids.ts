import type { FieldCipher } from '../../platform/crypto/field-cipher.ts';
import { emailFields } from './sale-events.wire.ts';

/** The customer id of payments that name an email address and no customer. */
export const guestIdOf = (emailDigest: string): string => `guest_${emailDigest.slice(0, 32)}`;

/** What sales and sign-ups store of a customer with this address: its keyed hash, and the customer ids that name the person. */
export const customerIdsOf = (cipher: FieldCipher, address: string): { digest: string; ids: string[] } => {
  const digest = emailFields(cipher, address).customerEmailDigest;
  return { digest, ids: [address, guestIdOf(digest)] };
};
