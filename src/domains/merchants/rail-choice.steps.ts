import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import { isRail, type Rail, railsThatPay } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Merchant, MerchantChanges } from './merchant.entity.ts';

/** As a caller sends it: which rails there are depends on the installation. */
export type GivenChanges = Omit<MerchantChanges, 'payoutRails'> & {
  payoutRails?: { paypal?: string | null | undefined; bank_transfer?: string | null | undefined } | null | undefined;
};

/** With the rails of methods that the caller left out. Throws VALIDATION_ERROR for a rail that is not offered, or does not pay the method. */
export const withChosenRails = (
  { settings }: Pick<Context, 'settings'>,
  { payoutRails: before }: Pick<Merchant, 'payoutRails'>,
  { payoutRails: given, ...changes }: GivenChanges,
): MerchantChanges => {
  if (given === undefined) return changes;
  if (given === null) return { ...changes, payoutRails: null };
  const chosen = PAYOUT_METHODS.map((method): [string, Rail | null] => {
    const name = given[method];
    if (name === undefined) return [method, before?.[method] ?? null];
    const offered = railsThatPay(method).filter((rail) => settings.isRailOffered(rail));
    if (name !== null && !(isRail(name) && offered.includes(name)))
      throw invalidField(`payoutRails.${method}`, `must be one of ${offered.join(', ')}`);
    return [method, name];
  });
  return { ...changes, payoutRails: chosen.some(([, rail]) => rail !== null) ? Object.fromEntries(chosen) : null };
};
