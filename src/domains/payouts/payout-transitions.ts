import type { EventType } from '../../contracts/events.ts';
import type { FailureCode, PayoutStatus, ReviewReason } from '../../contracts/payouts.ts';
import { type Context, emit } from '../../platform/context.ts';
import { withdrawRefusal } from '../affiliates/index.ts';
import { resumeHolds } from '../flags/index.ts';
import { type LedgerTransfer, postRailFee, postTransfer, postTransferOfEach } from '../ledger/index.ts';
import { reserveItemsAgain, returnItems } from './create/payout-items.steps.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { toPayout } from './payouts.wire.ts';
import { addTimelineEntry, type TimelineEntry } from './timeline.steps.ts';

type NextStatus = Exclude<PayoutStatus, 'pending'>;

/** One transition: status, timeline entry and event. The caller holds the payout's lock. Returns its time, at which its money is booked. */
const changeStatus = async (ctx: Context, payout: Payout, to: NextStatus, entry: TimelineEntry): Promise<Date> => {
  const from = payout.status;
  const resolves = entry.type === 'contradiction_resolved';
  const at = ctx.clock.now();
  payout.transitionTo(to, at, resolves);
  await addTimelineEntry(ctx, payout, { ...entry, from, to });
  await emitPayoutEvent(ctx, payout, `payout.${to}`, resolves);
  return at;
};

export const emitPayoutEvent = (
  ctx: Context,
  payout: Payout,
  type: Extract<EventType, `payout.${string}`>,
  resolved = false,
): Promise<void> => {
  const data = { ...toPayout(payout), ...(resolved ? { resolved: true as const } : {}) };
  return emit(ctx, { type, merchantId: payout.merchantId, programId: payout.programId, data });
};

/** A person has to decide from now on, and finance is told. Last in its transaction, as the mail may be shared by payouts. */
export const requestReview = async (ctx: Context, payout: Payout, reason: ReviewReason, entry: TimelineEntry): Promise<void> => {
  payout.startReview(reason, ctx.clock.now());
  await addTimelineEntry(ctx, payout, { ...entry, reason });
  await emitPayoutEvent(ctx, payout, 'payout.needs_attention');
};

type PayoutTransfer = Pick<LedgerTransfer, 'kind' | 'from' | 'to' | 'openAdjustments' | 'at'>;

/** Posts the payout's amount between two accounts of its affiliate. */
export const postPayoutTransfer = (ctx: Context, payout: Payout, transfer: PayoutTransfer): Promise<void> =>
  postTransfer(ctx, {
    ...transfer,
    amount: payout.amount,
    currency: payout.currency,
    merchantId: payout.merchantId,
    programId: payout.programId,
    affiliateId: payout.affiliateId,
    referenceId: payout.id,
  });

/** As `postPayoutTransfer`, for payouts of different affiliates of one merchant whose balances the caller locked. */
export const postPayoutTransfers = (
  ctx: Context,
  transfer: Pick<PayoutTransfer, 'kind' | 'from' | 'to'>,
  payouts: readonly { payout: Payout; openAdjustments: number }[],
): Promise<void> =>
  postTransferOfEach(
    ctx,
    transfer,
    payouts.map(({ payout: { id, affiliateId, programId, currency, amount }, openAdjustments }) => {
      return { affiliateId, programId, currency, amount, referenceId: id, openAdjustments };
    }),
  );

/**
 * Books the difference between what the attempt costs, as far as it is known, and what is booked: call it after each change of the
 * attempt's outcome or fee, before the payout is shown. The second call books nothing.
 */
export const bookFee = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  const fee = attempt.netFee();
  if (fee === null || fee === payout.fee) return;
  const { id: referenceId, merchantId, programId, currency } = payout;
  const amount = fee - (payout.fee ?? 0);
  await postRailFee(ctx, { rail: attempt.rail, merchantId, programId, currency, amount, referenceId });
  payout.fee = fee;
};

export const markProcessing = async (ctx: Context, payout: Payout, entry: TimelineEntry): Promise<void> => {
  await changeStatus(ctx, payout, 'processing', entry);
};

export const markCompleted = async (ctx: Context, payout: Payout, entry: TimelineEntry): Promise<void> => {
  const at = await changeStatus(ctx, payout, 'completed', entry);
  await postPayoutTransfer(ctx, payout, { kind: 'payout_completed', from: 'in_payout', to: 'paid', at });
};

/** Makes the money payable again and returns the items to the next payout. */
export const markFailed = async (ctx: Context, payout: Payout, failureCode: FailureCode, entry: TimelineEntry): Promise<void> => {
  const from = payout.status === 'completed' ? 'paid' : 'in_payout';
  payout.failureCode = failureCode;
  const at = await changeStatus(ctx, payout, 'failed', entry);
  const openAdjustments = await returnItems(ctx, payout);
  const returnKind = entry.type === 'contradiction_resolved' ? 'payout_resolved_not_paid' : 'payout_returned';
  const kind = from === 'paid' ? returnKind : 'payout_failed';
  await postPayoutTransfer(ctx, payout, { kind, from, to: 'payable', openAdjustments, at });
  // While it was not paid, the hold lasted.
  if (from === 'paid') await resumeHolds(ctx, payout.affiliateId);
};

/** A failed payout was paid after all: its items are reserved again, or deducted where another payout has them. */
export const markPaidAfterAll = async (ctx: Context, payout: Payout, entry: TimelineEntry): Promise<void> => {
  payout.failureCode = null;
  payout.railReason = null;
  const at = await changeStatus(ctx, payout, 'completed', entry);
  await withdrawRefusal(ctx, payout.id);
  const openAdjustments = await reserveItemsAgain(ctx, payout);
  await postPayoutTransfer(ctx, payout, { kind: 'payout_resolved_paid', from: 'payable', to: 'paid', openAdjustments, at });
};
