import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { RailRefusal } from '../../../contracts/rail-refusals.ts';
import { DEFAULT_RAIL, isPaidFromMerchant, type PayoutRails, type Rail } from '../../../contracts/rails.ts';
import { conflict } from '../../../platform/errors.ts';
import type { PlannedTransfer, RailAccount } from './rail.ts';
import { definitionOf } from './rails.ts';

/** The account that new payouts of a merchant are paid from, without its secrets. */
export interface PayingAccount {
  settings: RailAccount;
  /** Its provider would refuse. */
  isFailing: boolean;
}

/** What a merchant has chosen and connected. */
export interface MerchantRails {
  payoutRails: PayoutRails | null;
  /** By rail; null: none is connected. */
  railAccounts: Readonly<Partial<Record<Rail, PayingAccount>>> | null;
}

/**
 * The rail that pays a method for a merchant: what the merchant chose, else what this installation does. Where that needs an account of
 * the merchant and there is none, a person pays.
 */
export const railOfMethod = (
  { payoutRails: defaults }: { payoutRails: Readonly<Record<PayoutMethod, Rail>> },
  { payoutRails, railAccounts }: MerchantRails,
  method: PayoutMethod,
): Rail => {
  const byDefault = defaults[method];
  const usable = isPaidFromMerchant(byDefault) && !railAccounts?.[byDefault] ? DEFAULT_RAIL : byDefault;
  return payoutRails?.[method] ?? usable;
};

/** Why a rail cannot pay an order of a merchant, or null: before money is promised, and without the network. */
export const findRailRefusal = (
  rail: Rail,
  order: PlannedTransfer,
  { railAccounts }: Pick<MerchantRails, 'railAccounts'>,
): RailRefusal | null => {
  if (!isPaidFromMerchant(rail)) return definitionOf(rail).canPay(order, null);
  const account = railAccounts?.[rail];
  return account ? definitionOf(rail).canPay(order, account.settings) : 'no_account';
};

/** Whether the account is one that its provider refuses to pay from now. */
export const isAccountFailing = (rail: Rail, { railAccounts }: Pick<MerchantRails, 'railAccounts'>): boolean =>
  isPaidFromMerchant(rail) && railAccounts?.[rail]?.isFailing === true;

const REFUSALS: Readonly<Record<RailRefusal, string>> = {
  currency: 'does not pay this currency',
  decimals: 'pays only amounts with fewer decimals in this currency',
  country: 'does not pay to this country',
  above_limit: 'does not pay amounts as high as this',
  no_account: 'has no account to pay from: connect one, or choose another rail for the payout method',
  account_held: 'has an account that cannot pay now: check it under payout accounts',
  destination: 'cannot pay to these payout details',
};

/** Throws RAIL_CANNOT_PAY. */
export const assertRailPays = (rail: Rail, cause: RailRefusal | null): void => {
  if (cause) throw conflict('RAIL_CANNOT_PAY', `The ${rail} rail ${REFUSALS[cause]}`, { cause, rail });
};
