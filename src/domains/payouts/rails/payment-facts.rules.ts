import { DAY_MS } from '../../../platform/clock.ts';

/** How a bank names a payment or its return, and when it was made. Null: not known. */
export interface PaymentFacts {
  reference: string | null;
  at: Date | null;
}

interface Comparison {
  /** Both have a reference, and it is the same. */
  isSame: boolean;
  /** What is known and given, and is not the same. */
  differs: { reference: boolean; at: boolean };
  /** What is given and was not known. */
  adds: { reference: boolean; at: boolean };
}

/** Banks change blanks and case. */
export const isSameReference = (a: string, b: string): boolean => referenceKey(a) === referenceKey(b);
const referenceKey = (reference: string): string => reference.replace(/\s/g, '').toLowerCase();

/** A payment is booked a day after it was ordered, or its day is that of another time zone. */
const isSameDay = (a: Date, b: Date): boolean => Math.abs(dayOf(a) - dayOf(b)) <= 1;

/** Number of the day in UTC. */
const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

export const compareFacts = (known: PaymentFacts, given: PaymentFacts): Comparison => {
  const [a, b] = [known.reference, given.reference];
  const isSame = a !== null && b !== null && isSameReference(a, b);
  return {
    isSame,
    differs: {
      reference: a !== null && b !== null && !isSame,
      at: known.at !== null && given.at !== null && !isSameDay(known.at, given.at),
    },
    adds: {
      reference: a === null && b !== null,
      at: known.at === null && given.at !== null,
    },
  };
};
