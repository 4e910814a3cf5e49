import { canTransitionAttempt, type ReviewReason } from '../../contracts/payouts.ts';
import { faultClassOf } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { recordRefusal } from '../affiliates/index.ts';
import { contradicts, openContradiction } from './contradictions.ts';
import { isKnownPayment, requestReturn } from './corrections.ts';
import { readDetails } from './create/read-details.steps.ts';
import { railTimeOf } from './manual/payment-time.steps.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { bookFee, markCompleted, markFailed, requestReview } from './payout-transitions.ts';
import type { Answer, ProviderWord } from './rails/answer.ts';
import type { RailNotification, RailStatusUpdate } from './rails/rail.ts';
import { markStale, matchNotifications, type NotifiedAttempt } from './rails/rail-notifications.steps.ts';
import { addTimelineEntry } from './timeline.steps.ts';

/** Applies a status that the provider reported. Returns false when it is stale. The caller holds the payout's lock. */
export const applyRailStatus = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  update: RailStatusUpdate,
): Promise<boolean> => {
  // Returned money was paid before, even when the notification of that has not arrived yet.
  if (update.status === 'returned' && attempt.isOpen())
    await applyRailStatus(ctx, payout, attempt, { railReference: update.railReference, status: 'paid', failureCode: null });
  if (update.status === 'returned') return applyReturn(ctx, payout, attempt, update);
  if (!attempt.applyOutcome(update.status, ctx.clock.now())) {
    const isContradiction = contradicts(payout, attempt, update.status) && !(await isKnownPayment(ctx, attempt, update));
    if (isContradiction) await openContradiction(ctx, payout, attempt, update);
    return false;
  }
  await bookFee(ctx, payout, attempt);
  attempt.railReference = update.railReference ?? attempt.railReference ?? null;
  payout.addReference(attempt.railReference);
  attempt.failureCode = update.failureCode;
  const entry = { attempt: attempt.n, railReference: attempt.railReference, reason: update.failureCode };
  if (update.status === 'accepted') {
    await addTimelineEntry(ctx, payout, { type: 'rail_accepted', ...entry });
    await endManualReview(ctx, payout, attempt);
  }
  if (update.status === 'paid') {
    payout.railPaidAt = railTimeOf(ctx, payout, update.occurredAt);
    await markCompleted(ctx, payout, { type: 'rail_paid', ...entry });
  }
  if (update.status === 'failed') {
    payout.railReason = update.failureCode;
    await markFailed(ctx, payout, 'rail_rejected', { type: 'rail_failed', ...entry });
    await recordRefusedDetails(ctx, payout, update.failureCode);
  }
  return true;
};

/** Applies notifications that arrived before the attempt existed here. The caller holds the payout's lock. */
export const applyMatchedNotifications = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  for (const notification of await matchNotifications(ctx, attempt)) {
    const isApplied = await applyNotification(ctx, payout, attempt, notification);
    if (!isApplied) await markStale(ctx, notification.id);
  }
};

/**
 * Applies what a notification says, unless it does not agree with the order: then a workflow asks the provider, and nothing is
 * booked before; a contradiction books nothing by itself. Returns false when it changes nothing by itself. The caller holds the payout's lock.
 */
export const applyNotification = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  notification: RailStatusUpdate & Pick<RailNotification, 'record'>,
): Promise<boolean> => {
  const { status, railReference: id, failureCode: reason, record, occurredAt = ctx.clock.now() } = notification;
  attempt.hear({ status, id, reason, record }, occurredAt);
  const isBooked = attempt.isOpen() || status === 'returned';
  const isAgreed = agrees(payout, attempt, notification);
  if (isAgreed && record) attempt.hearFee(record);
  if (!isBooked || isAgreed) {
    const isApplied = await applyRailStatus(ctx, payout, attempt, notification);
    await bookFee(ctx, payout, attempt);
    return isApplied;
  }
  if (attempt.isOpen()) attempt.lookUpRequested = true;
  else if (attempt.outcome === 'paid') await requestReturn(ctx, payout, attempt);
  return false;
};

/** A payment must be that of the order, which was sent from here. */
const agrees = (
  payout: Payout,
  attempt: PayoutAttempt,
  { status, railReference, record }: RailStatusUpdate & Pick<RailNotification, 'record'>,
): boolean => {
  const isOther =
    record && (record.reference !== payout.id || record.amountMinor !== payout.amount || record.currency !== payout.currency);
  if (isOther || (attempt.railReference && railReference !== attempt.railReference)) return false;
  const isPayment = status === 'paid' || status === 'returned';
  return !isPayment || (record !== null && attempt.sendCount > 0);
};

/** Whether a notification could change anything about an attempt as it was read without a lock. */
export const mayChange = (attempt: NotifiedAttempt, { status: reported, record }: RailNotification): boolean => {
  const { fee = null, feeReturned = 0 } = record ?? {};
  if ((fee !== null && attempt.fee === null) || feeReturned > attempt.feeReturned) return true;
  if (reported === 'returned') return attempt.outcome !== 'returned';
  return canTransitionAttempt(attempt.outcome, reported) || contradicts(attempt, attempt, reported);
};

const applyReturn = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  { failureCode }: RailStatusUpdate,
): Promise<boolean> => {
  if (attempt.outcome !== 'paid' && attempt.outcome !== 'failed') return false;
  const isNew = !attempt.returnRequestedAt;
  attempt.failureCode = failureCode;
  attempt.returnRequestedAt ??= ctx.clock.now();
  // Nothing to book for what is recorded as failed, unless a person finds out that it was paid.
  if (attempt.outcome === 'paid') await requestReturn(ctx, payout, attempt, isNew);
  return true;
};

/** An answer without a transfer: a rejection says what became of the order, an error nothing. */
const wordOf = ({ outcome, railReference: id, fault }: Answer): ProviderWord | null =>
  outcome === 'unknown' ? null : { status: outcome, id, reason: fault?.code ?? null, record: null };

/** Applies the result of a send or a look-up. The caller holds the payout's lock. */
export const applyRailResult = async (ctx: Context, payout: Payout, attempt: PayoutAttempt, result: Answer): Promise<void> => {
  attempt.request = result.request;
  attempt.response = result.response;
  const word = result.word ?? wordOf(result);
  if (word) attempt.hear(word, ctx.clock.now());
  if (result.needsReview && !payout.isFinal()) await requestManualReview(ctx, payout, attempt, result.needsReview);
  if (result.outcome === 'unknown') return;
  if (result.word?.record) attempt.hearFee(result.word.record);
  await applyRailStatus(ctx, payout, attempt, {
    status: result.outcome,
    railReference: result.railReference,
    failureCode: result.fault?.code ?? null,
  });
  await bookFee(ctx, payout, attempt);
};

/**
 * From now on the payout can be completed or failed with a note, and nothing is sent. Of several reasons the first one
 * stays, but for the provider's silence: only that lets a person fail what the provider accepted.
 */
export const requestManualReview = async (
  ctx: Context,
  payout: Payout,
  attempt: PayoutAttempt,
  reason: ReviewReason,
): Promise<void> => {
  if (payout.reviewReason === reason || (payout.needsAttention && reason !== 'accepted_too_long')) return;
  await requestReview(ctx, payout, reason, { type: 'manual_review_requested', attempt: attempt.n });
};

/** The provider has the order, so nobody has to decide any more. */
const endManualReview = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  if (!payout.needsAttention || payout.isFinal()) return;
  payout.endReview(ctx.clock.now());
  await addTimelineEntry(ctx, payout, { type: 'manual_review_ended', attempt: attempt.n, outcome: 'accepted' });
};

/** Counts a definite failure that a provider or bank blames on where the money was sent. */
const recordRefusedDetails = async (ctx: Context, payout: Payout, reason: string | null): Promise<void> => {
  if (reason === null || faultClassOf(payout.rail, reason) !== 'payee') return;
  const details = readDetails(ctx, payout);
  if (details) await recordRefusal(ctx, payout, { details, reason });
};
