import type { EventType } from '../../contracts/events.ts';
import { type Context, emit } from '../../platform/context.ts';
import { type LedgerTransfer, postRailFee, postTransfer } from '../ledger/index.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { toPayout } from './payouts.wire.ts';
import { bookedFees, chargedFees, feesToBook, type ShownFee } from './rails/fees.rules.ts';

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
 * attempt's outcome or fees, before the payout is shown. The second call books nothing.
 */
export const bookFees = async (ctx: Context, payout: Payout, attempt: PayoutAttempt): Promise<void> => {
  const { id: referenceId, merchantId, programId, currency } = payout;
  const { fee: own = null, otherFees = null } = attempt;
  if (own === null && otherFees === null) return;
  const charged = chargedFees(attempt, currency, attempt.outcome);
  const open = feesToBook(charged, bookedFees(payout));
  for (const fee of open) await postRailFee(ctx, { rail: attempt.rail, merchantId, programId, referenceId, ...fee });
  if (own !== null) payout.fee = netOf(charged.find((fee) => fee.currency === currency));
  if (open.length > 0) payout.fees = charged;
};

const netOf = (fee: ShownFee | undefined): number => (fee ? fee.amount - fee.returned : 0);
