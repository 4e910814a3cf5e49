import type { FieldCipher } from './crypto/field-cipher.ts';
import { hostNameOf } from './host-name.ts';
import { withoutInvisible } from './visible-line.ts';

/** The local part and the domain. Without an at sign, all of the text is the domain. */
const split = (text: string): [local: string, domain: string] => {
  const at = text.lastIndexOf('@');
  return [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
};

/** Copied addresses bring invisible characters along. */
const cleaned = (text: string): string => withoutInvisible(text).normalize('NFC').trim();

const MAX_LENGTH = 254;
const MAX_LOCAL_BYTES = 64;
/** What a mail server reads without quotes; some give out addresses with dots at any place. */
const PLAIN = /^[^\s"(),:;<>@[\\\]\p{Cc}\p{Cs}]+$/u;
/** Without angle brackets: they end an address in a mail. */
const QUOTED = /^"(?:[^"\\<>\p{Cc}\p{Cs}]|\\[^<>\p{Cc}\p{Cs}])+"$/u;

/**
 * An address that a mail server can deliver to, with its domain in ASCII; null for any other text. The one rule for addresses that this
 * server writes to, or pays to.
 */
export const parseEmail = (text: string): string | null => {
  const [local, domain] = split(cleaned(text));
  const host = hostNameOf(domain);
  if (host === null || Buffer.byteLength(local) > MAX_LOCAL_BYTES) return null;
  const address = `${local}@${host}`;
  return address.length <= MAX_LENGTH && (PLAIN.test(local) || QUOTED.test(local)) ? address : null;
};

/** The domain of whatever a customer entered, in ASCII; null when it is none. */
export const domainOfEmail = (address: string): string | null => hostNameOf(split(cleaned(address))[1]);

/** Whatever a customer entered, as it is compared: in lower case, without invisible characters, and with its domain in ASCII. */
export const normalizeEmail = (address: string): string => {
  const text = cleaned(address).toLowerCase();
  const [local, domain] = split(text);
  const host = hostNameOf(domain);
  return host === null ? text : `${local}@${host}`;
};

/** Domains under which dots in the local part mean nothing, with the name that stands for them. */
const DOTLESS: Readonly<Record<string, string>> = { 'gmail.com': 'gmail.com', 'googlemail.com': 'gmail.com' };

/** Quotes around a local part are no part of it. */
const unquoted = (local: string): string => (QUOTED.test(local) ? local.slice(1, -1).replaceAll(/\\(.)/gsu, '$1') : local);

/** An address may begin with a plus sign. */
const untagged = (local: string): string => {
  const tag = local.indexOf('+', 1);
  return tag === -1 ? local : local.slice(0, tag);
};

/** One text for all spellings of a mailbox: in lower case, without a tag ("+shop"), and at Gmail without dots. */
export const canonicalEmail = (address: string): string => {
  const [written, domain] = split(normalizeEmail(address));
  const local = untagged(unquoted(written));
  const shared = DOTLESS[domain];
  return shared === undefined ? `${local}@${domain}` : `${local.replaceAll('.', '')}@${shared}`;
};

/** The same for all spellings of a mailbox: it can be compared but not read. */
export const emailDigest = (cipher: FieldCipher, address: string): string =>
  cipher.digest(canonicalEmail(address), 'canonical-email');
