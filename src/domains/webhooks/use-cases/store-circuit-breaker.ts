import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import type { BreakerState } from '../lanes/circuit-breaker.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

export interface StoreCircuitBreakerInput {
  endpointId: string;
  state: BreakerState;
  /** The endpoint failed for so long that it is disabled: its waiting deliveries are parked. */
  giveUp: boolean;
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** Retries succeed in workflows of their own, of which a lane does not know. */
const hasSucceededSince = async (ctx: Context, endpointId: string, sinceMs: number | null): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    sql`select 1 from webhook_delivery where endpoint_id = ${endpointId}::uuid and status = 'succeeded'
      and updated_at >= ${toDate(sinceMs)?.toISOString() ?? null}::timestamptz limit 1`,
  )) !== null;

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
    if (giveUp && !(await hasSucceededSince(ctx, endpointId, state.failingSinceMs))) endpoint.disable('failing', ctx.clock.now());
    await ctx.em.flush();
  });
