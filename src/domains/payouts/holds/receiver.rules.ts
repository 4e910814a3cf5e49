import type { PayoutDetails } from '../../../contracts/payouts.ts';
import type { FieldCipher } from '../../../platform/crypto/field-cipher.ts';

/** Providers change the case of addresses and the blanks of accounts. */
const normalized = (receiver: string): string =>
  receiver.includes('@') ? receiver.trim().toLowerCase() : receiver.replace(/\s/g, '').toUpperCase();

export const isSameReceiver = (a: string, b: string): boolean => normalized(a) === normalized(b);

/** The address or account that a payout goes to, as a provider names it. */
export const receiverOf = ({ method, paypalEmail, bankIban, connected }: PayoutDetails): string | null =>
  connected?.account ?? (method === 'paypal' ? paypalEmail : bankIban) ?? null;

/** Keyed: equal for the same receiver. */
export const receiverHash = (cipher: FieldCipher, receiver: string): string =>
  cipher.digest(normalized(receiver), 'payout.receiver');

/** For people who know the payee: the first letter of an address and its domain, or the last four characters of an account. */
export const maskReceiver = (receiver: string): string =>
  receiver.includes('@')
    ? receiver
        .trim()
        .slice(0, 200)
        .replace(/^(.)[^@]*@/, '$1***@')
    : `****${receiver.trim().slice(-4)}`;
