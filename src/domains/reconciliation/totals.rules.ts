import type { ReconciliationTotal } from '../../contracts/reconciliation.ts';
import type { OurPayment } from './compare.rules.ts';
import { addOther, statusOfPayment, type TheirPayment } from './tally.rules.ts';

type Side = ReconciliationTotal['ours'];
const NOTHING: Side = { payments: 0, amount: 0, fees: 0, returned: 0 };

export interface Totals {
  addOurs(payment: OurPayment): void;
  addTheirs(payment: TheirPayment): void;
  /** A payment that is not ours. */
  addForeign(payment: TheirPayment): void;
  /** In the order of currencies. */
  list(balances: Balances): ReconciliationTotal[];
}

/** What the account held when the comparison before read it, what is listed since, and what it holds now. By currency; null where nobody knows. */
export interface Balances {
  opening: Readonly<Record<string, number>> | null;
  moved: ReadonlyMap<string, number>;
  closing: Readonly<Record<string, number>> | null;
}

/** What a comparison adds up, by currency: of a fee, its own. */
export const createTotals = (movements: ReadonlyMap<string, ReconciliationTotal['others']>): Totals => {
  const ours = new Map<string, Side>();
  const theirs = new Map<string, Side>();
  const others = new Map(movements);

  const add = (sides: Map<string, Side>, currency: string, part: Partial<Side>): void => {
    const side = sides.get(currency) ?? NOTHING;
    sides.set(currency, {
      payments: side.payments + (part.payments ?? 0),
      amount: side.amount + (part.amount ?? 0),
      fees: side.fees + (part.fees ?? 0),
      returned: side.returned + (part.returned ?? 0),
    });
  };
  const addFees = (sides: Map<string, Side>, fees: TheirPayment['fees']) => {
    for (const { currency, amountMinor } of fees) add(sides, currency, { fees: amountMinor });
  };

  return {
    addOurs({ outcome, currency, amountMinor, fees }) {
      if (outcome !== 'paid' && outcome !== 'returned') return;
      add(ours, currency, { payments: 1, amount: amountMinor, returned: outcome === 'returned' ? amountMinor : 0 });
      addFees(ours, fees);
    },
    addTheirs(payment) {
      const status = statusOfPayment(payment);
      if (status === 'failed' || status === 'pending') return;
      const { payments, amountMinor, currency, returnedMinor, fees } = payment;
      const returned = status === 'returned' && returnedMinor === 0 ? amountMinor : returnedMinor;
      add(theirs, currency, { payments, amount: payments * amountMinor, returned });
      addFees(theirs, fees);
    },
    addForeign(payment) {
      const status = statusOfPayment(payment);
      if (status === 'failed' || status === 'pending') return;
      const { payments, amountMinor, currency, returnedMinor, fees } = payment;
      const returned = status === 'returned' && returnedMinor === 0 ? payments * amountMinor : returnedMinor;
      if (payments > 0 || returned > 0) addOther(others, currency, returned - payments * amountMinor);
      for (const fee of fees) addOther(others, fee.currency, -fee.amountMinor);
    },
    list({ opening, moved, closing }) {
      const currencies = new Set([ours, theirs, others].flatMap((sums) => [...sums.keys()]));
      for (const currency of Object.keys({ ...opening, ...closing })) currencies.add(currency);
      return [...currencies].sort().map((currency) => ({
        currency,
        ours: ours.get(currency) ?? NOTHING,
        theirs: theirs.get(currency) ?? NOTHING,
        others: others.get(currency) ?? { movements: 0, amount: 0 },
        opening: opening?.[currency] ?? null,
        moved: opening === null ? null : (moved.get(currency) ?? 0),
        closing: closing?.[currency] ?? null,
      }));
    },
  };
};
