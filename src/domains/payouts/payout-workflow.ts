import type { PayoutSummary } from '../../contracts/workflows.ts';
import type { Context } from '../../platform/context.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { Payout } from './payout.entity.ts';

const factsOf = (payout: Payout): PayoutSummary & Record<string, string> => ({
  payoutId: payout.id,
  merchantId: payout.merchantId,
  programId: payout.programId,
  affiliateId: payout.affiliateId,
  amountMinor: String(payout.amount),
  currency: payout.currency,
  rail: payout.rail,
});

/** Asks for the payout's story to begin. */
export const startPayoutWorkflow = (ctx: Context, payout: Payout): Promise<void> =>
  enqueue(ctx, { topic: 'payout.start', subjectId: payout.id, suffix: '', payload: factsOf(payout) });

/** Tells the running story that something changed in Postgres; it looks for itself what. */
export const signalPayoutWorkflow = (ctx: Context, payout: Payout): Promise<void> =>
  enqueue(ctx, { topic: 'payout.changed', subjectId: payout.id, suffix: '', payload: factsOf(payout) });

/** Asks for the short story of money that came back after it was paid. */
export const startReturnWorkflow = (ctx: Context, payout: Payout, attemptId: string): Promise<void> =>
  enqueue(ctx, { topic: 'payout.return', subjectId: attemptId, suffix: '', payload: { ...factsOf(payout), attemptId } });
