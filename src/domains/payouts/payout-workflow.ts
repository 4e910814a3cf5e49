import type { PayoutSummary } from '../../contracts/workflows.ts';
import type { Context } from '../../platform/context.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { Payout } from './payout.entity.ts';

const summaryOf = (payout: Payout): PayoutSummary & Record<string, string> => ({
  payoutId: payout.id,
  merchantId: payout.merchantId,
  programId: payout.programId,
  affiliateId: payout.affiliateId,
  amountMinor: String(payout.amount),
  currency: payout.currency,
  rail: payout.rail,
});

/** Enqueues the start of the payout's workflow. */
export const startPayoutWorkflow = (ctx: Context, payout: Payout): Promise<void> =>
  enqueue(ctx, { topic: 'payout.start', subjectId: payout.id, suffix: '', payload: summaryOf(payout) });

/** Tells the running workflow that the payout changed in Postgres; an activity then reads what changed. */
export const signalPayoutWorkflow = (ctx: Context, payout: Payout): Promise<void> =>
  enqueue(ctx, { topic: 'payout.changed', subjectId: payout.id, suffix: '', payload: summaryOf(payout) });

/** Enqueues the workflow that records a returned payment: the payout's own workflow may have ended. */
export const startReturnWorkflow = (ctx: Context, payout: Payout, attemptId: string): Promise<void> =>
  enqueue(ctx, { topic: 'payout.return', subjectId: attemptId, suffix: '', payload: { ...summaryOf(payout), attemptId } });

/** Enqueues the workflow of a contradiction or, once it is `resolved`, the signal that ends it. */
export const startContradictionWorkflow = (ctx: Context, payout: Payout, n: number, state: 'open' | 'resolved' = 'open') =>
  enqueue(ctx, {
    topic: state === 'open' ? 'payout.contradiction' : 'payout.contradiction_resolved',
    subjectId: payout.id,
    suffix: `/contradiction/${n}`,
    payload: { ...summaryOf(payout), n },
  });
