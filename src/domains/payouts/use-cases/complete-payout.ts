import { type Context, inTransaction } from '../../../platform/context.ts';
import { decideOn, perform } from '../machine/apply.ts';
import { lockOwnState } from '../machine/load.ts';
import { timeOfPayment } from '../manual/time-of-payment.steps.ts';
import type { Payout } from '../payout.entity.ts';

export interface CompletePayoutInput {
  id: string;
  note?: string | undefined;
  bankReference?: string | undefined;
  executedAt?: string | undefined;
}

/** Records that a payout was paid. Throws ILLEGAL_TRANSITION unless it is processing, and RAIL_NOT_MANUAL where the provider decides. */
export const completePayout = (ctx: Context, { id, note, bankReference, executedAt }: CompletePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, id);
    const input = { type: 'complete', hasNote: Boolean(note) } as const;
    decideOn(locked, input);
    const executed = await timeOfPayment(ctx, locked.payout, 'executedAt', executedAt);
    await perform(ctx, locked, input, { note, bankReference, executedAt: executed });
    return locked.payout;
  });
