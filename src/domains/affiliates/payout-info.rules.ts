import { isDeepStrictEqual } from 'node:util';
import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import { invalidField } from '../../platform/errors.ts';
import { agreesWithIban } from './bank-codes.rules.ts';

/** What a person entered in order to be paid. Stored as one encrypted text. */
export interface PayoutInfo {
  payoutMethod: PayoutMethod | null;
  paypalEmail: string | null;
  bankAccountHolder: string | null;
  bankIban: string | null;
  bankBic: string | null;
  firstName: string | null;
  lastName: string | null;
  addressLine1: string | null;
  addressLine2: string | null;
  city: string | null;
  state: string | null;
  postalCode: string | null;
  vatId: string | null;
}

/** Undefined leaves a field unchanged, null clears it. */
export type PayoutInfoChanges = { [Name in keyof PayoutInfo]?: PayoutInfo[Name] | undefined };

export const NO_PAYOUT_INFO: PayoutInfo = {
  payoutMethod: null,
  paypalEmail: null,
  bankAccountHolder: null,
  bankIban: null,
  bankBic: null,
  firstName: null,
  lastName: null,
  addressLine1: null,
  addressLine2: null,
  city: null,
  state: null,
  postalCode: null,
  vatId: null,
};

const isComplete = (info: PayoutInfo, method: PayoutMethod): boolean =>
  method === 'paypal' ? info.paypalEmail !== null : info.bankIban !== null && info.bankAccountHolder !== null;

/** PayPal when both are complete. */
const onlyMethodOf = (info: PayoutInfo): PayoutMethod | null => {
  if (isComplete(info, 'paypal')) return 'paypal';
  return isComplete(info, 'bank_transfer') ? 'bank_transfer' : null;
};

/**
 * The info after a change. Without a method, that of the details applies. VALIDATION_ERROR, with `prefix` before the field,
 * for a bank account that is incomplete or contradicts itself, and for a method whose details are missing.
 */
export const changePayoutInfo = (current: PayoutInfo, changes: PayoutInfoChanges, prefix = ''): PayoutInfo => {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const changed: PayoutInfo = { ...current, ...given };
  const next =
    changes.payoutMethod === null ? changed : { ...changed, payoutMethod: changed.payoutMethod ?? onlyMethodOf(changed) };
  if ((next.bankIban === null) !== (next.bankAccountHolder === null)) {
    throw invalidField(`${prefix}bankAccountHolder`, 'must be provided together with bankIban');
  }
  if (next.bankBic !== null && !(next.bankIban !== null && agreesWithIban(next.bankBic, next.bankIban))) {
    throw invalidField(`${prefix}bankBic`, 'must be of a bank in the country of bankIban');
  }
  if (next.payoutMethod !== null && !isComplete(next, next.payoutMethod)) {
    const missing = next.payoutMethod === 'paypal' ? 'paypalEmail' : 'bankIban';
    throw invalidField(`${prefix}${missing}`, `is required by payoutMethod ${next.payoutMethod}`);
  }
  return next;
};

/** What a merchant may enter. */
export type EnteredDetails = Pick<PayoutInfoChanges, 'paypalEmail' | 'bankAccountHolder' | 'bankIban' | 'bankBic'>;

/** The details of one account: a PayPal address replaces a bank account, and the other way round. */
export const enterDetails = (current: PayoutInfo, { paypalEmail, ...bank }: EnteredDetails): PayoutInfo => {
  if (paypalEmail) return changePayoutInfo(NO_PAYOUT_INFO, { paypalEmail });
  const isBank = bank.bankIban || bank.bankAccountHolder || bank.bankBic;
  return changePayoutInfo({ ...current, payoutMethod: null }, { ...bank, paypalEmail: isBank ? null : paypalEmail });
};

const destinationOf = ({ payoutMethod, paypalEmail, bankIban, bankBic, bankAccountHolder }: PayoutInfo) => ({
  payoutMethod,
  paypalEmail,
  bankIban,
  bankBic,
  bankAccountHolder,
});

/** Whether both pay to the same place. */
export const hasSameDestination = (a: PayoutInfo, b: PayoutInfo): boolean =>
  isDeepStrictEqual(destinationOf(a), destinationOf(b));

/** What a payout by this method needs, and nothing else; null when a field is missing. */
export const payoutDetailsFor = (info: PayoutInfo, method: PayoutMethod | null): PayoutDetails | null => {
  if (method === null || !isComplete(info, method)) return null;
  const { paypalEmail, bankIban, bankBic, bankAccountHolder } = info;
  return { method, paypalEmail, bankIban, bankBic, bankAccountHolder };
};
