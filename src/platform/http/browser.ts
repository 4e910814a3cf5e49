import { isbot } from 'isbot';
import type { FieldCipher } from '../crypto/field-cipher.ts';

/** Where a request comes from. Personal data: never stored in clear. */
export interface Browser {
  /** The address, or the /64 block of an IPv6 address. */
  address: string;
  userAgent: string;
}

/** Every browser names itself. */
export const isBrowser = (userAgent: string): boolean => userAgent !== '' && !isbot(userAgent);

/** 128 bits are enough to tell visitors apart. */
const DIGITS = 32;

/** A keyed hash that tells a visitor from others without an id. */
export const visitorDigest = (cipher: FieldCipher, visitor: Browser | { visitorId: string }): string => {
  const text = 'visitorId' in visitor ? visitor.visitorId : `${visitor.address}\n${visitor.userAgent}`;
  return cipher.digest(text, 'click-visitor').slice(0, DIGITS);
};
