import type { EventType } from '../../contracts/events.ts';
import { type Context, emit } from '../../platform/context.ts';
import { type LedgerTransfer, postRailFee, postTransfer } from '../ledger/index.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { toPayout } from './payouts.wire.ts';

export const emitPayoutEvent = (
  ctx: Context,
  payout: Payout,
  type: Extract<EventType, `payout.${string}`>,
  resolved = false,
): Promise<void> => {
  const data = { ...toPayout(payout), ...(resolved ? { resolved: true as const } : {}) };
  return emit(ctx, { type, merchantId: payout.merchantId, programId: payout.programId, data });
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
