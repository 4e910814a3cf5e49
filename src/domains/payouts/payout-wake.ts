import type { PayoutFacts } from '../../contracts/workflows.ts';
import type { Context } from '../../platform/context.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { Payout } from './payout.entity.ts';

const factsOf = (payout: Payout): PayoutFacts & Record<string, string> => ({
  payoutId: payout.id,
  merchantId: payout.merchantId,
  programId: payout.programId,
  affiliateId: payout.affiliateId,
  amountMinor: String(payout.amount),
  currency: payout.currency,
  rail: payout.rail,
});

/** Asks for the payout's story to begin. */
export const startStory = (ctx: Context, payout: Payout): Promise<void> =>
  enqueue(ctx, { topic: 'payout.start', subjectId: payout.id, suffix: '', facts: factsOf(payout) });

/** Tells the running story that something changed in Postgres; it looks for itself what. */
export const wakeStory = (ctx: Context, payout: Payout): Promise<void> =>
  enqueue(ctx, { topic: 'payout.changed', subjectId: payout.id, suffix: '', facts: factsOf(payout) });

/** Asks for the short story of money that came back after it was paid. */
export const startReturn = (ctx: Context, payout: Payout, attemptId: string): Promise<void> =>
  enqueue(ctx, { topic: 'payout.return', subjectId: attemptId, suffix: '', facts: { ...factsOf(payout), attemptId } });
