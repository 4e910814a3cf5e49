import { type CorrectionSnapshot, payoutCorrection } from '../../../contracts/workflows/payout-correction.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { bookConfirmedReturn, getCorrection, getCorrectionSnapshot } from '../corrections.ts';
import { lockPayout } from '../payout-state.queries.ts';
import { showIn } from '../shown-row.steps.ts';

/** Books a return that the provider reported: its money is payable again. The second call changes nothing. */
export const bookCorrection = (ctx: Context, { payoutId, n }: { payoutId: string; n: number }): Promise<CorrectionSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, payoutId);
    const correction = await getCorrection(ctx, payoutId, n);
    showIn(ctx, correction, payoutCorrection.id(payoutId, n));
    if (correction.status === 'open') await bookConfirmedReturn(ctx, payout, correction);
    return getCorrectionSnapshot(ctx, payoutId, n);
  });
