import type { AttemptOutcome } from '../../contracts/payouts.ts';
import type { DifferenceKind } from '../../contracts/reconciliation.ts';
import { isSameReceiver } from '../payouts/index.ts';
import { isPartlyReturned, statusOfPayment, type TheirPayment } from './tally.rules.ts';

/** A payment as our books have it. */
export interface OurPayment {
  payoutId: string;
  merchantId: string;
  programId: string;
  idempotencyKey: string;
  outcome: AttemptOutcome;
  amountMinor: number;
  currency: string;
  /** One per currency. */
  fees: readonly { amountMinor: number; currency: string }[];
  /** Null after an erasure. */
  receiver: string | null;
  sentAt: Date;
  /** When the provider was to execute it. */
  dueAt: Date;
  /** When the outcome was last written. */
  changedAt: Date;
}

/** What a comparison may conclude from a provider's silence. */
export interface CompareLimits {
  now: Date;
  /** Whether everything that was paid at this time is certainly in the list. */
  isListed(at: Date): boolean;
  /** How long the provider may leave a payment in this state. */
  pendingForMs(state: string): number;
}

export interface Finding {
  kind: DifferenceKind;
  /** The provider said more than we know, so that asking it about the payout may settle it. */
  isExplained: boolean;
  /** The fee that differs; null for another kind. */
  feeCurrency: string | null;
  /** What is different: a later comparison that finds other facts finds another difference. */
  facts: string;
}

const found = (kind: DifferenceKind, facts: unknown[] = [], isExplained = false): Finding => ({
  kind,
  isExplained,
  feeCurrency: null,
  facts: facts.join(' '),
});

/** Outcomes that say that the provider has the order. Of an unknown one only the provider can tell. */
const IS_WITH_PROVIDER: readonly AttemptOutcome[] = ['accepted', 'paid', 'returned'];

type Ending = TheirPayment['status'];

/** The same, in our words: money that came back may be a failure to us, as when it was never claimed. */
const AGREES: Readonly<Record<AttemptOutcome, readonly Ending[]>> = {
  created: [],
  unknown: [],
  accepted: ['pending'],
  paid: ['paid'],
  failed: ['failed', 'returned'],
  returned: ['returned', 'failed'],
};

/** What the books differ in about one payment of ours. `theirs` is null when the provider does not list it. */
export const comparePayment = (ours: OurPayment, theirs: TheirPayment | null, limits: CompareLimits): Finding[] => {
  if (theirs === null) {
    const isMissing = IS_WITH_PROVIDER.includes(ours.outcome) && limits.isListed(ours.dueAt);
    return isMissing ? [found('missing_there')] : [];
  }
  // What changed a short time ago may not be in the list yet.
  const isSettled = limits.isListed(ours.changedAt);
  return [
    ...compareIds(ours, theirs),
    ...compareMoney(ours, theirs),
    ...(isSettled ? compareState(ours, theirs, limits) : []),
    ...(isSettled ? compareFees(ours, theirs) : []),
  ];
};

const compareIds = (ours: OurPayment, { idempotencyKey, reference, receiver }: TheirPayment): Finding[] => {
  const isOther =
    (idempotencyKey !== null && idempotencyKey !== ours.idempotencyKey) || (reference !== null && reference !== ours.payoutId);
  const isElsewhere = receiver !== null && ours.receiver !== null && !isSameReceiver(receiver, ours.receiver);
  return [
    ...(isOther ? [found('unknown_reference', [idempotencyKey, reference])] : []),
    ...(isElsewhere ? [found('destination')] : []),
  ];
};

const compareMoney = (ours: OurPayment, { amountMinor, currency, payments }: TheirPayment): Finding[] => [
  ...(currency !== ours.currency ? [found('currency', [currency])] : []),
  ...(currency === ours.currency && payments > 0 && amountMinor !== ours.amountMinor ? [found('amount', [amountMinor])] : []),
  ...(payments > 1 ? [found('twice', [payments])] : []),
];

const compareState = (ours: OurPayment, theirs: TheirPayment, { now, pendingForMs }: CompareLimits): Finding[] => {
  const status = statusOfPayment(theirs);
  if (AGREES[ours.outcome].includes(status)) {
    const isLate = status === 'pending' && now.getTime() - theirs.occurredAt.getTime() > pendingForMs(theirs.state);
    return isLate ? [found('late')] : [];
  }
  const isOpen = ours.outcome === 'unknown' || ours.outcome === 'accepted';
  return [found('state', [ours.outcome, theirs.state, status], isOpen && status !== 'unknown')];
};

/** Each that the provider names, in its own currency. A payment whose end the two tell differently has no fees to compare. */
const compareFees = (ours: OurPayment, theirs: TheirPayment): Finding[] => {
  const isPaid = ours.outcome === 'paid' && statusOfPayment(theirs) === 'paid';
  // Where the payment is in another currency, so is its fee.
  if (!isPaid || theirs.currency !== ours.currency) return [];
  return theirs.fees.flatMap(({ currency, amountMinor }) => {
    const booked = ours.fees.find((fee) => fee.currency === currency)?.amountMinor ?? 0;
    return booked === amountMinor ? [] : [{ ...found('fee', [amountMinor, currency]), feeCurrency: currency }];
  });
};

/** A payment that our books do not have: whether it looks like one that was sent from here, and moved money. */
export const isMissingHere = (theirs: TheirPayment, isOurs: (theirs: TheirPayment) => boolean): boolean => {
  const status = statusOfPayment(theirs);
  return theirs.payments > 0 && status !== 'failed' && status !== 'returned' && isOurs(theirs);
};

/** The provider's own word, or ours where it lists what came back as a movement of its own. */
export const stateOf = (theirs: TheirPayment): string => {
  if (isPartlyReturned(theirs)) return 'partly returned';
  return theirs.returnedMinor > 0 ? 'returned' : theirs.state;
};
