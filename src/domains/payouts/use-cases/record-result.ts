import type { PayoutStatus } from '../../../contracts/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { findBookedReturn } from '../corrections.steps.ts';
import { lockOwnPayout } from '../machine/load.ts';
import type { PaymentResultName } from '../manual/parse-results.rules.ts';
import { timeOfPayment } from '../manual/time-of-payment.steps.ts';
import type { Payout } from '../payout.entity.ts';
import { compareFacts, type PaymentFacts } from '../rails/payment-facts.rules.ts';
import { addTimelineEntry } from '../timeline.steps.ts';
import { completePayout } from './complete-payout.ts';
import { failPayout } from './fail-payout.ts';
import { returnPayout } from './return-payout.ts';

export interface ResultInput {
  id: string;
  result: PaymentResultName;
  bankReference?: string | undefined;
  /** When the bank executed the payment, or sent it back. */
  executedAt?: string | undefined;
  /** The same of a return, for callers that name it so. */
  occurredAt?: string | undefined;
  note?: string | undefined;
}

/** What the payout is now, and whether it was that before, with the same facts. */
export interface RecordedResult {
  status: PayoutStatus;
  unchanged: boolean;
}

/**
 * Records what somebody found out about a manual payout, as often as it is said: facts that were not known are added, the second call
 * with the same changes nothing. Throws OTHER_REFERENCE and OTHER_DATE for facts that contradict known ones, PAID_TWICE for what reads
 * as another payment of the same payout, NEVER_PAID for the return of what was never paid, and what `completePayout`, `failPayout` and
 * `returnPayout` throw.
 */
export const recordResult = (ctx: Context, input: ResultInput): Promise<RecordedResult> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockOwnPayout(ctx, input.id);
    const field = input.occurredAt === undefined ? 'executedAt' : 'occurredAt';
    const given = { reference: input.bankReference ?? null, at: (await timeOfPayment(ctx, payout, field, input[field])) ?? null };
    if (input.result === 'paid') return recordPaid(ctx, { payout, given, input });
    if (input.result === 'failed') return recordFailed(ctx, { payout, given, input });
    return recordReturned(ctx, { payout, given, input });
  });

interface Recording {
  payout: Payout;
  given: PaymentFacts;
  input: ResultInput;
}

const isReturned = ({ status, failureCode }: Payout): boolean => status === 'failed' && failureCode === 'returned';

const recordPaid = async (ctx: Context, { payout, given, input }: Recording): Promise<RecordedResult> => {
  const known = { reference: payout.bankReference ?? null, at: payout.executedAt ?? null };
  const { isSame, differs, adds } = compareFacts(known, given);
  if (isReturned(payout)) {
    // Without a reference that both have, it may be a second payment.
    if (!isSame && (differs.reference || differs.at || adds.reference || adds.at))
      throw conflict('PAID_TWICE', 'The payment came back, and this reference or date is not known to be of that payment');
  } else if (payout.status !== 'completed') {
    return { status: (await completePayout(ctx, input)).status, unchanged: false };
  }
  if (differs.reference && differs.at)
    throw conflict('PAID_TWICE', 'The payout was paid before, with another reference and on another day');
  assertSameFacts(differs);
  if (adds.reference) payout.bankReference = given.reference;
  if (adds.at) payout.executedAt = given.at;
  return noteFacts(ctx, { payout, given, input }, adds);
};

/** The reference of a payment that failed is on the timeline only, and found by a search. */
const recordFailed = async (ctx: Context, { payout, given, input }: Recording): Promise<RecordedResult> => {
  if (isReturned(payout)) throw conflict('ALREADY_COMPLETED', 'The payout was paid, and the money came back: it did not fail');
  if (payout.status !== 'failed') return { status: (await failPayout(ctx, input)).status, unchanged: false };
  return noteFacts(ctx, { payout, given, input }, { reference: !payout.hasReference(given.reference), at: false });
};

const recordReturned = async (ctx: Context, { payout, given, input }: Recording): Promise<RecordedResult> => {
  if (payout.status === 'completed') {
    const { id, bankReference, note = '' } = input;
    const occurredAt = given.at?.toISOString();
    const { status } = await returnPayout(ctx, { id, note, occurredAt, bankReference });
    return { status, unchanged: false };
  }
  const correction = isReturned(payout) ? await findBookedReturn(ctx, payout) : null;
  if (!correction) throw conflict('NEVER_PAID', 'The payout is not recorded as paid, so it cannot have come back');
  const known = { reference: correction.bankReference ?? null, at: correction.occurredAt ?? null };
  const { differs, adds } = compareFacts(known, given);
  assertSameFacts(differs);
  if (adds.reference) correction.bankReference = given.reference;
  if (adds.at) correction.occurredAt = given.at;
  return noteFacts(ctx, { payout, given, input }, adds);
};

const assertSameFacts = (differs: { reference: boolean; at: boolean }): void => {
  if (differs.reference) throw conflict('OTHER_REFERENCE', 'The payout has another reference of the bank');
  if (differs.at) throw conflict('OTHER_DATE', 'The payout has another date of the bank');
};

/** What was not known before is on the timeline and found by a search. */
const noteFacts = async (
  ctx: Context,
  { payout, given, input }: Recording,
  adds: { reference: boolean; at: boolean },
): Promise<RecordedResult> => {
  const { status } = payout;
  if (!adds.reference && !adds.at) return { status, unchanged: true };
  const railReference = adds.reference ? given.reference : null;
  payout.addReference(railReference);
  payout.updatedAt = ctx.clock.now();
  const reason = adds.reference && adds.at ? 'reference_and_date' : adds.at ? 'date' : 'reference';
  await addTimelineEntry(ctx, payout, { type: 'payment_details_added', railReference, reason, note: input.note ?? null });
  return { status, unchanged: false };
};
