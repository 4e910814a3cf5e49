import { isValidIBAN } from 'ibantools';

/** The IBAN without spaces and in upper case; null when it is not valid for its country. */
export const parseIban = (text: string): string | null => {
  const iban = text.replaceAll(/\s/g, '').toUpperCase();
  return isValidIBAN(iban) ? iban : null;
};
