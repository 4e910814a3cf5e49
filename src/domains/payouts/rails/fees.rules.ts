import type { ProviderFee } from './answer.ts';

/** Fees of an attempt as its provider reported them, the one in the currency of the payout on its own. Minor units. */
export interface ReportedFees {
  /** Null while none is reported. */
  fee?: number | null;
  feeReturned: number;
  /** In other currencies. Null: none. */
  otherFees?: readonly ProviderFee[] | null;
}

/** One fee per currency, as the API shows it. */
export interface ShownFee {
  currency: string;
  amount: number;
  /** What the provider gave back of the amount. */
  returned: number;
}

/** Providers charge a payment once in each currency, and give back no more than that: the first fee counts, and the highest return. */
export const withFees = (
  known: ReportedFees,
  currency: string,
  reported: readonly ProviderFee[] = [],
): Required<ReportedFees> => {
  let { fee = null, feeReturned, otherFees = null } = known;
  for (const told of reported) {
    if (told.currency === currency) {
      fee ??= told.amountMinor;
      feeReturned = returnedOf(fee, feeReturned, told);
    } else {
      const others: readonly ProviderFee[] = otherFees ?? [];
      const before = others.find((other) => other.currency === told.currency) ?? { ...told, returnedMinor: 0 };
      const after = { ...before, returnedMinor: returnedOf(before.amountMinor, before.returnedMinor ?? 0, told) };
      otherFees = [...others.filter((other) => other.currency !== told.currency), after];
    }
  }
  return { fee, feeReturned, otherFees };
};

const returnedOf = (amount: number, known: number, { returnedMinor = 0 }: ProviderFee): number =>
  Math.max(known, Math.min(returnedMinor, amount));

/** Whether a report changes what is known. */
export const addsFee = (known: ReportedFees, currency: string, reported: readonly ProviderFee[] = []): boolean => {
  const { fee, feeReturned, otherFees } = withFees(known, currency, reported);
  return fee !== (known.fee ?? null) || feeReturned !== known.feeReturned || stateOf(otherFees) !== stateOf(known.otherFees);
};

const stateOf = (fees: readonly ProviderFee[] | null = null): string =>
  (fees ?? [])
    .map(({ currency, amountMinor, returnedMinor = 0 }) => `${currency} ${amountMinor} ${returnedMinor}`)
    .sort()
    .join();

/** What a payment costs as it is recorded: nothing unless it was made. One that came back costs what the provider kept. */
export const chargedFees = (
  { fee = null, feeReturned, otherFees }: ReportedFees,
  currency: string,
  outcome: string,
): ShownFee[] => {
  if (outcome !== 'paid' && outcome !== 'returned') return [];
  const shown = (of: ProviderFee): ShownFee => ({
    currency: of.currency,
    amount: of.amountMinor,
    returned: outcome === 'returned' ? (of.returnedMinor ?? 0) : 0,
  });
  const own = fee === null ? [] : [{ currency, amountMinor: fee, returnedMinor: feeReturned }];
  return [...own, ...(otherFees ?? [])].map(shown);
};

/** What is left to book by currency, once `booked` is. */
export const feesToBook = (charged: readonly ShownFee[], booked: readonly ShownFee[]): { currency: string; amount: number }[] => {
  const currencies = new Set([...charged, ...booked].map(({ currency }) => currency));
  return [...currencies]
    .map((currency) => ({ currency, amount: netIn(charged, currency) - netIn(booked, currency) }))
    .filter(({ amount }) => amount !== 0);
};

const netIn = (fees: readonly ShownFee[], currency: string): number =>
  fees.filter((fee) => fee.currency === currency).reduce((sum, { amount, returned }) => sum + amount - returned, 0);

/** What is booked of a payout, by currency. Older ones have no more than one in their own. */
export const bookedFees = ({ fee, fees, currency }: BookedFees): readonly ShownFee[] =>
  fees ?? (fee ? [{ currency, amount: fee, returned: 0 }] : []);

interface BookedFees {
  fee?: number | null | undefined;
  fees?: readonly ShownFee[] | null | undefined;
  currency: string;
}
