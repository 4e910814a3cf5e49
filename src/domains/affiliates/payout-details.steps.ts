import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { Context } from '../../platform/context.ts';
import type { CipherContext, FieldCipher } from '../../platform/crypto/field-cipher.ts';
import { parseEmail } from '../../platform/email.ts';
import { invalidField } from '../../platform/errors.ts';
import { bankLine } from '../../platform/http/schemas.ts';
import { parseIban } from './bank-codes.rules.ts';
import { changePayoutInfo, NO_PAYOUT_INFO, type PayoutInfo } from './payout-info.rules.ts';
import { toEnteredDetails } from './payout-info.wire.ts';

export interface PayoutInput {
  paypalEmail?: string | undefined;
  bankIban?: string | undefined;
  bankAccountHolder?: string | undefined;
}

/** Whose details they are: the ciphertext is bound to this row. */
export interface PayoutDetailsOwner {
  table: 'affiliate_profile' | 'affiliate';
  id: string;
}

const contextOf = ({ table, id }: PayoutDetailsOwner): CipherContext =>
  table === 'affiliate'
    ? { table: 'affiliate', column: 'payout_details', row: id }
    : { table: 'affiliate_profile', column: 'payout_details', row: id };

export const encryptPayoutInfo = (ctx: Context, owner: PayoutDetailsOwner, info: PayoutInfo): string =>
  ctx.cipher.encrypt(JSON.stringify(info), contextOf(owner));

export const decryptPayoutInfo = (ctx: Context, owner: PayoutDetailsOwner, ciphertext: string): PayoutInfo =>
  JSON.parse(ctx.cipher.decrypt(ciphertext, contextOf(owner))) as PayoutInfo;

/** Opens the details of a profile that was already read. */
export const openPayoutInfo = (ctx: Context, profileId: string, ciphertext: string | null | undefined): PayoutInfo =>
  ciphertext ? decryptPayoutInfo(ctx, { table: 'affiliate_profile', id: profileId }, ciphertext) : NO_PAYOUT_INFO;

interface StoredDetails {
  id: string;
  /** The details as the merchant entered them. */
  enteredDetails: string | null;
  profileHidden: boolean;
  ownMethod: PayoutMethod | null;
}

/** What the merchant entered, masked; null when nothing was, or the owner has entered details of their own. */
export const openEnteredDetails = (ctx: Context, { id, enteredDetails, profileHidden, ownMethod }: StoredDetails) => {
  const isUsed = profileHidden || ownMethod === null;
  return enteredDetails !== null && isUsed
    ? toEnteredDetails(decryptPayoutInfo(ctx, { table: 'affiliate', id }, enteredDetails))
    : null;
};

/** Keyed hashes of the accounts that payout details name: two profiles with an equal one are paid to the same account. */
export const payoutDigestsOf = (cipher: FieldCipher, { paypalEmail, bankIban }: PayoutInfo): string[] => [
  ...(paypalEmail === null ? [] : [cipher.digest(paypalEmail.toLowerCase(), 'payout.paypal')]),
  ...(bankIban === null ? [] : [cipher.digest(bankIban, 'payout.iban')]),
];

/** The PayPal addresses of an affiliate: the owner's, and the one that the merchant entered. The arguments are as stored. */
export const paypalEmailsOf = (
  ctx: Context,
  stored: { id: string; profileId: string; ownDetails: string | null; enteredDetails: string | null },
): string[] => {
  const { id, profileId, ownDetails, enteredDetails } = stored;
  const own = openPayoutInfo(ctx, profileId, ownDetails).paypalEmail;
  const entered = enteredDetails === null ? null : decryptPayoutInfo(ctx, { table: 'affiliate', id }, enteredDetails).paypalEmail;
  return [own, entered].filter((email) => email !== null);
};

/** Validated details; PayPal is the method when both are provided. Null when none is. */
export const parsePayoutDetails = (input: PayoutInput): PayoutInfo | null => {
  const paypalEmail = parsePaypalEmail(input.paypalEmail);
  const bankIban = input.bankIban === undefined ? null : parseIban(input.bankIban);
  if (input.bankIban !== undefined && bankIban === null) throw invalidField('payout.bankIban', 'is not a valid IBAN');
  const bankAccountHolder = parseAccountHolder(input.bankAccountHolder);
  const info = changePayoutInfo(NO_PAYOUT_INFO, { paypalEmail, bankIban, bankAccountHolder }, 'payout.');
  return info.payoutMethod === null ? null : info;
};

const parsePaypalEmail = (text: string | undefined): string | null => {
  if (text === undefined) return null;
  const email = parseEmail(text);
  if (email === null) throw invalidField('payout.paypalEmail', 'must be an email address');
  return email;
};

const parseAccountHolder = (text: string | undefined): string | null => {
  if (text === undefined) return null;
  const parsed = bankLine(140).safeParse(text);
  if (!parsed.success) throw invalidField('payout.bankAccountHolder', 'must be one line of 1 to 140 characters');
  return parsed.data;
};
