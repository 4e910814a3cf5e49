import { LockMode } from '@mikro-orm/core';
import type { DeliveryFailure } from '../../../contracts/webhooks.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { continueFailing, endFailing } from '../failing-period.ts';
import type { BreakerState } from '../lanes/circuit-breaker.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

export interface StoreCircuitBreakerInput {
  endpointId: string;
  state: BreakerState;
  lastFailure: DeliveryFailure;
}

/** Retries succeed in workflows of their own, of which a lane does not know: what they stored may be later. */
const laterOf = (stored: Date | null | undefined, ms: number): Date => new Date(Math.max(stored?.getTime() ?? ms, ms));

/**
 * For operators, and for the process that owns the lane next. Warns the merchant of an endpoint that fails for long, and
 * disables it in the end. Does nothing for a disabled or deleted endpoint.
 */
export const storeCircuitBreaker = (ctx: Context, { endpointId, state, lastFailure }: StoreCircuitBreakerInput): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await ctx.em.findOne(
      WebhookEndpoint,
      { id: endpointId, deletedAt: null, status: 'active' },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (!endpoint) return;
    endpoint.breakerUntil = state.untilMs === null ? null : new Date(state.untilMs);
    endpoint.breakerFailures = state.failures;
    if (state.untilMs === null) await endFailing(ctx, endpoint);
    else if (state.failingSinceMs !== null) {
      endpoint.failingSince = laterOf(endpoint.failingSince, state.failingSinceMs);
      await continueFailing(ctx, endpoint, lastFailure);
    }
    await ctx.em.flush();
  });
