import type { FieldCipher } from '../../platform/crypto/field-cipher.ts';
import type { PayoutInfo } from './payout-info.ts';

/** Keyed hashes of the accounts that payout details name: two profiles with an equal one are paid to the same account. */
export const payoutDigestsOf = (cipher: FieldCipher, { paypalEmail, bankIban }: PayoutInfo): string[] => [
  ...(paypalEmail === null ? [] : [cipher.digest(paypalEmail.toLowerCase(), 'payout.paypal')]),
  ...(bankIban === null ? [] : [cipher.digest(bankIban, 'payout.iban')]),
];
