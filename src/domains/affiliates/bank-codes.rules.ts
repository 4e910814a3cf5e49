import { isValidBIC, isValidIBAN } from 'ibantools';
import { withoutInvisible } from '../../platform/visible-line.ts';

/** What people type and copy between the characters. */
const compact = (text: string): string => withoutInvisible(text).replaceAll(/\s/g, '').toUpperCase();

/** The IBAN without spaces and in upper case; null when it is not valid for its country. */
export const parseIban = (text: string): string | null => {
  const iban = compact(text);
  return isValidIBAN(iban) ? iban : null;
};

/** Territories whose banks have a country code of their own, and accounts with the IBAN of another country (ISO 13616 registry). */
const TERRITORIES: Readonly<Record<string, readonly string[]>> = {
  FI: ['AX'],
  FR: ['BL', 'GF', 'GP', 'MF', 'MQ', 'NC', 'PF', 'PM', 'RE', 'TF', 'WF', 'YT'],
  GB: ['GG', 'IM', 'JE'],
};

/** The BIC without spaces and in upper case; null when it is malformed. */
export const parseBic = (text: string): string | null => {
  const bic = compact(text);
  return isValidBIC(bic) ? bic : null;
};

/** Whether the bank may keep an account with this IBAN: both name a country. */
export const agreesWithIban = (bic: string, iban: string): boolean => {
  const [ofBank, ofAccount] = [bic.slice(4, 6), iban.slice(0, 2)];
  return ofBank === ofAccount || (TERRITORIES[ofAccount]?.includes(ofBank) ?? false);
};
