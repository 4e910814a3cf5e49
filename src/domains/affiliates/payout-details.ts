import { z } from 'zod';
import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import type { CipherContext } from '../../platform/crypto/field-cipher.ts';
import { invalidField } from '../../platform/errors.ts';
import { line } from '../../platform/http/schemas.ts';
import { parseIban } from './iban.ts';

export interface PayoutInput {
  paypalEmail?: string | undefined;
  bankIban?: string | undefined;
  bankAccountHolder?: string | undefined;
}

/** Binds the encrypted details to their row. */
export const payoutDetailsContext = (profileId: string): CipherContext => ({
  table: 'affiliate_profile',
  column: 'payout_details',
  row: profileId,
});

/** Validated details; PayPal is the method when both are provided. Null when none is. */
export const parsePayoutDetails = (input: PayoutInput): PayoutDetails | null => {
  const paypalEmail = parsePaypalEmail(input.paypalEmail);
  const bankIban = input.bankIban === undefined ? null : parseIban(input.bankIban);
  if (input.bankIban !== undefined && bankIban === null) throw invalidField('payout.bankIban', 'is not a valid IBAN');
  const bankAccountHolder = parseAccountHolder(input.bankAccountHolder);
  if ((bankIban === null) !== (bankAccountHolder === null)) {
    throw invalidField('payout.bankAccountHolder', 'must be provided together with bankIban');
  }
  if (paypalEmail === null && bankIban === null) return null;
  return { method: paypalEmail === null ? 'bank_transfer' : 'paypal', paypalEmail, bankIban, bankAccountHolder };
};

/** The details with this method; null when a field that the method needs is missing. */
export const payoutDetailsFor = (details: PayoutDetails, method: PayoutMethod): PayoutDetails | null => {
  const complete =
    method === 'paypal' ? details.paypalEmail !== null : details.bankIban !== null && details.bankAccountHolder !== null;
  return complete ? { ...details, method } : null;
};

const parsePaypalEmail = (text: string | undefined): string | null => {
  if (text === undefined) return null;
  const parsed = z.email().max(254).safeParse(text.trim());
  if (!parsed.success) throw invalidField('payout.paypalEmail', 'must be an email address');
  return parsed.data;
};

const parseAccountHolder = (text: string | undefined): string | null => {
  if (text === undefined) return null;
  const parsed = line(140).safeParse(text);
  if (!parsed.success) throw invalidField('payout.bankAccountHolder', 'must be one line of 1 to 140 characters');
  return parsed.data;
};
