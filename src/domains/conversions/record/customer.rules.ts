import type { FieldCipher } from '../../../platform/crypto/field-cipher.ts';
import { domainOfEmail, emailDigest, normalizeEmail } from '../../../platform/email.ts';

const NO_EMAIL = { customerEmailDigest: null, customerCanonicalDigest: null, customerEmailDomain: null };

/** What is stored of the address that a customer entered: it can be compared but not read. */
export const emailFields = (cipher: FieldCipher, address: string | null | undefined) =>
  address
    ? {
        customerEmailDigest: cipher.digest(normalizeEmail(address), 'customer-email'),
        customerCanonicalDigest: emailDigest(cipher, address),
        customerEmailDomain: domainOfEmail(address),
      }
    : NO_EMAIL;

/** The customer id of payments that name an email address and no customer. */
const guestIdOf = (emailDigest: string): string => `guest_${emailDigest.slice(0, 32)}`;

/** Payments without a customer id are of one customer if they name the same email address. Null: nothing says whose they are. */
export const customerIdOf = (id: string | null | undefined, emailDigest: string | null): string | null =>
  id ?? (emailDigest === null ? null : guestIdOf(emailDigest));

/** What sales and sign-ups store of a customer with this address: its keyed hashes, and the customer ids that name the person. */
export const customerIdsOf = (cipher: FieldCipher, address: string): { digest: string; mailbox: string; ids: string[] } => {
  const digest = cipher.digest(normalizeEmail(address), 'customer-email');
  const written = [address.trim().toLowerCase(), normalizeEmail(address)];
  return { digest, mailbox: emailDigest(cipher, address), ids: [...new Set(written), guestIdOf(digest)] };
};
