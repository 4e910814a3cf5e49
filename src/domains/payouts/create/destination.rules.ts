import type { PayoutDetails } from '../../../contracts/payouts.ts';
import type { FieldCipher } from '../../../platform/crypto/field-cipher.ts';

/** Two details with an equal keyed hash pay the same account in the same name. */
export const destinationHash = (cipher: FieldCipher, details: PayoutDetails): string => {
  const { method, paypalEmail, bankIban, bankBic, bankAccountHolder, connected } = details;
  if (connected) return cipher.digest(JSON.stringify([connected.rail, connected.account]), 'payout.destination');
  const account = method === 'paypal' ? [paypalEmail?.toLowerCase()] : [bankIban, bankBic, bankAccountHolder];
  return cipher.digest(JSON.stringify([method, ...account]), 'payout.destination');
};

/** The first letter of the address and its domain, or the last four characters of the IBAN or of the account at the provider. */
export const maskDestination = ({ method, paypalEmail, bankIban, connected }: PayoutDetails): string => {
  if (connected) return `****${connected.account.slice(-4)}`;
  if (method === 'bank_transfer') return `****${bankIban?.slice(-4) ?? ''}`;
  return paypalEmail?.replace(/^(.).*@/, '$1***@') ?? '';
};
