import { z } from 'zod';
import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import type { CipherContext } from '../../platform/crypto/field-cipher.ts';
import { invalidField } from '../../platform/errors.ts';
import { line } from '../../platform/http/schemas.ts';
import { ibanOf } from './iban.ts';

export interface PayoutInput {
  paypalEmail?: string | undefined;
  bankIban?: string | undefined;
  bankAccountHolder?: string | undefined;
}

/** Binds sealed details to their row. */
export const payoutDetailsContext = (profileId: string): CipherContext => ({
  table: 'affiliate_profile',
  column: 'payout_details',
  row: profileId,
});

/** Checked details, PayPal first when both ways are given; null when none is. */
export const payoutDetailsOf = (input: PayoutInput): PayoutDetails | null => {
  const paypalEmail = paypalEmailOf(input.paypalEmail);
  const bankIban = input.bankIban === undefined ? null : ibanOf(input.bankIban);
  if (input.bankIban !== undefined && bankIban === null) throw invalidField('payout.bankIban', 'is not a valid IBAN');
  const bankAccountHolder = holderOf(input.bankAccountHolder);
  if ((bankIban === null) !== (bankAccountHolder === null)) {
    throw invalidField('payout.bankAccountHolder', 'an IBAN and its account holder go together');
  }
  if (paypalEmail === null && bankIban === null) return null;
  return { method: paypalEmail === null ? 'bank_transfer' : 'paypal', paypalEmail, bankIban, bankAccountHolder };
};

/** The same details with this method chosen; null when what it needs is missing. */
export const payableBy = (details: PayoutDetails, method: PayoutMethod): PayoutDetails | null => {
  const complete =
    method === 'paypal' ? details.paypalEmail !== null : details.bankIban !== null && details.bankAccountHolder !== null;
  return complete ? { ...details, method } : null;
};

const paypalEmailOf = (given: string | undefined): string | null => {
  if (given === undefined) return null;
  const read = z.email().max(254).safeParse(given.trim());
  if (!read.success) throw invalidField('payout.paypalEmail', 'must be an e-mail address');
  return read.data;
};

const holderOf = (given: string | undefined): string | null => {
  if (given === undefined) return null;
  const read = line(140).safeParse(given);
  if (!read.success) throw invalidField('payout.bankAccountHolder', 'must be one line of 1 to 140 characters');
  return read.data;
};
