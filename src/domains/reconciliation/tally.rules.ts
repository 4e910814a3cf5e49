import type { ReconciliationTotal } from '../../contracts/reconciliation.ts';
import type { ListedMovement } from '../payouts/index.ts';

type Fee = NonNullable<ListedMovement['fee']>;

/** All that a provider lists of one payment: it may be paid again, come back, and cost a fee of its own. */
export interface TheirPayment {
  /** The provider's, of its first movement. */
  id: string;
  idempotencyKey: string | null;
  reference: string | null;
  references: ListedMovement['references'];
  status: ListedMovement['status'];
  state: string;
  amountMinor: number;
  currency: string;
  /** One per currency. None: the provider does not say. */
  fees: readonly Fee[];
  /** In clear, to be compared. */
  receiver: string | null;
  /** How often it was paid, or may still be. */
  payments: number;
  /** What came back. */
  returnedMinor: number;
  occurredAt: Date;
}

/** Names that may belong to one payment, the surest first. */
const namesOf = ({ idempotencyKey, reference, references, id }: ListedMovement): string[] => [
  ...(idempotencyKey === null ? [] : [`key ${idempotencyKey}`]),
  ...(reference === null ? [] : [`reference ${reference}`]),
  ...[...new Set([...Object.values(references), id])].map((name) => `id ${name}`),
];

/** A failure moves nothing, so that what was paid beside it counts. */
const isExecuted = ({ status }: Pick<TheirPayment, 'status'>): boolean => status !== 'failed';

const startOf = (movement: ListedMovement): TheirPayment => {
  const { id, idempotencyKey, reference, references, status, state, amountMinor, currency, fee, receiver, occurredAt } = movement;
  return {
    ...{ id, idempotencyKey, reference, references, status, state, amountMinor, currency, receiver, occurredAt },
    fees: fee ? [fee] : [],
    payments: isExecuted(movement) ? 1 : 0,
    returnedMinor: 0,
  };
};

const addFees = (a: readonly Fee[], b: readonly Fee[]): Fee[] => {
  const sums = new Map<string, number>();
  for (const { currency, amountMinor } of [...a, ...b]) sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
  return [...sums].map(([currency, amountMinor]) => ({ amountMinor, currency }));
};

/** Two parts of one payment, in any order. */
export const mergePayments = (a: TheirPayment, b: TheirPayment): TheirPayment => {
  const [main, other] = a.payments === 0 && b.payments > 0 ? [b, a] : [a, b];
  return {
    ...main,
    idempotencyKey: main.idempotencyKey ?? other.idempotencyKey,
    reference: main.reference ?? other.reference,
    references: { ...other.references, ...main.references },
    receiver: main.receiver ?? other.receiver,
    fees: addFees(main.fees, other.fees),
    payments: a.payments + b.payments,
    returnedMinor: a.returnedMinor + b.returnedMinor,
    occurredAt: new Date(Math.min(a.occurredAt.getTime(), b.occurredAt.getTime())),
  };
};

/** A return or a fee that its provider lists as a movement of its own, as a part of its payment. */
const partOf = (movement: ListedMovement): TheirPayment => {
  const { kind, amountMinor, currency } = movement;
  const part = { ...startOf(movement), payments: 0, amountMinor: 0, fees: [] };
  return kind === 'return'
    ? { ...part, status: 'returned', returnedMinor: amountMinor }
    : { ...part, fees: [{ amountMinor, currency }] };
};

/** Whether more came back than nothing, and less than all, so that only a person can say what it is. */
export const isPartlyReturned = ({ returnedMinor, amountMinor }: TheirPayment): boolean =>
  returnedMinor > 0 && returnedMinor < amountMinor;

/** How the payment ended, with what came back. */
export const statusOfPayment = (payment: TheirPayment): TheirPayment['status'] => {
  if (isPartlyReturned(payment)) return 'unknown';
  return payment.returnedMinor > 0 ? 'returned' : payment.status;
};

export interface Tally {
  /** Adds a page of the provider's list. */
  add(movements: readonly ListedMovement[]): void;
  size(): number;
  /** Each with its parts. */
  payments(): TheirPayment[];
  /** Movements that are no payments, by currency. Positive when money came in. */
  others(): ReadonlyMap<string, ReconciliationTotal['others']>;
  /** What the balance changed by since then, by currency. */
  moved(): ReadonlyMap<string, number>;
}

/** What a movement does to the balance, by currency. What failed and what may still fail does nothing yet. */
const effectOf = ({ kind, status, amountMinor, currency, fee }: ListedMovement): Fee[] => {
  if (status === 'failed') return [];
  const isOut = kind === 'payment' || kind === 'fee';
  const own = { amountMinor: isOut ? -amountMinor : amountMinor, currency };
  return fee ? [own, { amountMinor: -fee.amountMinor, currency: fee.currency }] : [own];
};

/**
 * Movements of an account by the payment that they belong to, in any order. Keeps no more than a payment's facts. `movedSince`: from when on
 * changes of the balance are added up.
 */
export const createTally = (movedSince: Date | null = null): Tally => {
  const groups = new Set<{ payment: TheirPayment }>();
  const byName = new Map<string, { payment: TheirPayment }>();
  const others = new Map<string, ReconciliationTotal['others']>();
  const moved = new Map<string, number>();

  const put = (names: readonly string[], payment: TheirPayment): void => {
    const known = names.map((name) => byName.get(name)).find((group) => group !== undefined);
    const group = known ?? { payment };
    if (known) known.payment = mergePayments(known.payment, payment);
    groups.add(group);
    for (const name of names) if (!byName.has(name)) byName.set(name, group);
  };

  return {
    add(movements) {
      for (const movement of movements) {
        if (movedSince && movement.occurredAt >= movedSince)
          for (const { currency, amountMinor } of effectOf(movement))
            moved.set(currency, (moved.get(currency) ?? 0) + amountMinor);
        if (movement.kind === 'other') addOther(others, movement.currency, movement.amountMinor);
        else put(namesOf(movement), movement.kind === 'payment' ? startOf(movement) : partOf(movement));
      }
    },
    size: () => groups.size,
    payments: () => [...groups].map(({ payment }) => payment),
    others: () => others,
    moved: () => moved,
  };
};

/** What is not ours is in the balance too. */
export const addOther = (others: Map<string, ReconciliationTotal['others']>, currency: string, amountMinor: number): void => {
  const { movements, amount } = others.get(currency) ?? { movements: 0, amount: 0 };
  others.set(currency, { movements: movements + 1, amount: amount + amountMinor });
};
