import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import type { FieldCipher } from './crypto/field-cipher.ts';

/** Domains under which dots in the local part mean nothing, with the name that stands for them. */
const DOTLESS: Readonly<Record<string, string>> = { 'gmail.com': 'gmail.com', 'googlemail.com': 'gmail.com' };

/** One text for all spellings of a mailbox: in lower case, without a tag ("+shop"), and at Gmail without dots. */
export const canonicalEmail = (address: string): string => {
  const text = address.trim().toLowerCase();
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  const local = text.slice(0, Math.max(at, 0));
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  const shared = DOTLESS[domain];
  return shared === undefined ? `${untagged}@${domain}` : `${untagged.replaceAll('.', '')}@${shared}`;
};

/** The same for all spellings of a mailbox: it can be compared but not read. */
export const emailDigest = (cipher: FieldCipher, address: string): string =>
  cipher.digest(canonicalEmail(address), 'canonical-email');

let known: ReadonlySet<string> | undefined;

/** Whether the domain, in lower case, or one above it gives out addresses for a short time. */
export const isDisposableDomain = (domain: string): boolean => {
  known ??= disposableEmailBlocklistSet();
  const labels = domain.split('.');
  return labels.some((_label, at) => known?.has(labels.slice(at).join('.')));
};
