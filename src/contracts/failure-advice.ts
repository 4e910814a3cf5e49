import type { FaultClass } from './faults.ts';
import { faultClassOf, type Rail } from './rails.ts';

/** What to do first about a payout that failed. Parts of a sentence. */
const ADVICE: Readonly<Record<FaultClass, string>> = {
  payee:
    'the payout details were refused, so ask the affiliate for new details first, and retry only then; the same details are paused after three refusals, until they are changed or confirmed',
  account: "the provider refused the merchant's account, so ask it what the account lacks before a retry",
  order:
    'the provider does not pay such an order, so a retry fails too until the amount, the currency or the destination is another one',
  compliance: 'the payment was stopped for legal reasons, so ask the provider before anything is paid again',
  provider: 'the provider or a bank had a fault, so a retry may work',
  unclear: 'the reason was kept secret, so ask the provider and the affiliate before a retry',
};

const NO_MONEY = "the merchant's account at the provider had too little money, so add some before a retry";

/** Codes that say more than their class. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  insufficient_funds: NO_MONEY,
  insufficient_balance: NO_MONEY,
  am04: NO_MONEY,
};

/** Failure codes of our own that no provider gave. */
const OWN_ADVICE: Readonly<Record<string, string>> = {
  invalid_details: ADVICE.payee,
  affiliate_blocked: 'the affiliate was blocked, and nothing is paid while that lasts',
  items_held: 'a commission was held, so resolve its flag or dispute first',
};

export interface FailedPayment {
  rail: Rail;
  /** The provider's own code. */
  railReason: string | null;
  failureCode: string | null;
}

/** What to do first about a payout that failed for this reason, if it is still failed; null for reasons that are not known. */
export const failureAdviceOf = ({ rail, railReason, failureCode }: FailedPayment): string | null => {
  const fault = railReason === null ? null : faultClassOf(rail, railReason);
  if (railReason !== null && fault) return ADVICE_BY_CODE[railReason.toLowerCase()] ?? ADVICE[fault];
  return OWN_ADVICE[failureCode ?? ''] ?? null;
};
