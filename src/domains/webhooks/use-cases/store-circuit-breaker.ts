import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import type { BreakerState } from '../lanes/circuit-breaker.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

export interface StoreCircuitBreakerInput {
  endpointId: string;
  state: BreakerState;
  /** The endpoint failed for so long that it is disabled: its waiting deliveries are parked. */
  giveUp: boolean;
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** For operators, and for the process that owns the lane next. Does nothing for a disabled or deleted endpoint. */
export const storeCircuitBreaker = (ctx: Context, { endpointId, state, giveUp }: StoreCircuitBreakerInput): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await ctx.em.findOne(
      WebhookEndpoint,
      { id: endpointId, deletedAt: null, status: 'active' },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (!endpoint) return;
    endpoint.breakerUntil = toDate(state.untilMs);
    endpoint.breakerFailures = state.failures;
    endpoint.failingSince = toDate(state.failingSinceMs);
    if (giveUp) endpoint.disable('failing', ctx.clock.now());
    await ctx.em.flush();
  });
