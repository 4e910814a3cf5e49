import { LockMode } from '@mikro-orm/core';
import type { DeliveryFailure } from '../../../contracts/webhooks.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { continueFailing, endFailing, laterOf } from '../endpoints/failing-period.steps.ts';
import type { BreakerState } from '../lanes/circuit-breaker.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

export interface StoreCircuitBreakerInput {
  endpointId: string;
  state: BreakerState;
  lastFailure: DeliveryFailure;
  /** URL of the last attempt that failed. */
  url?: string | null;
}

/**
 * Stores it for operators, and for the process that owns the lane next. Warns the merchant of an endpoint that fails for long, and
 * disables it in the end. Does nothing for a disabled or deleted endpoint, or when a former URL failed: what is stored stays, and
 * the lane adopts it.
 */
export const storeCircuitBreaker = (
  ctx: Context,
  { endpointId, state, lastFailure, url }: StoreCircuitBreakerInput,
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await ctx.em.findOne(
      WebhookEndpoint,
      { id: endpointId, deletedAt: null, status: 'active' },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (!endpoint || (state.untilMs !== null && url && url !== endpoint.url)) return;
    endpoint.setBreaker(state.untilMs === null ? null : new Date(state.untilMs), state.failures);
    if (state.untilMs === null) await endFailing(ctx, endpoint);
    else if (state.failingSinceMs !== null) {
      // A lane does not know about retries that succeeded, or that the endpoint was enabled: the stored time may be later.
      endpoint.failSince(laterOf(new Date(state.failingSinceMs), endpoint.failingSince ?? endpoint.failingResetAt));
      await continueFailing(ctx, endpoint, lastFailure);
    }
  });
