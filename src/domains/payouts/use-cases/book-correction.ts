import { type CorrectionSnapshot, payoutCorrection } from '../../../contracts/workflows/payout-correction.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { getCorrection, getCorrectionSnapshot } from '../corrections.steps.ts';
import { perform } from '../machine/apply.ts';
import { lockState } from '../machine/load.ts';
import { showIn } from '../shown-row.steps.ts';

/** Books a return that the provider reported: its money is payable again. The second call changes nothing. */
export const bookCorrection = (ctx: Context, { payoutId, n }: { payoutId: string; n: number }): Promise<CorrectionSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockState(ctx, payoutId);
    showIn(ctx, await getCorrection(ctx, payoutId, n), payoutCorrection.id(payoutId, n));
    if (locked.openReturn?.n === n) await perform(ctx, locked, { type: 'book_return' });
    return getCorrectionSnapshot(ctx, payoutId, n);
  });
