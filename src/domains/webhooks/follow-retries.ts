import { LockMode } from '@mikro-orm/core';
import type { DeliveryFailure } from '../../contracts/webhooks.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { continueFailing, endFailing, warningsAfter } from './failing-period.ts';
import type { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';

/** Null unless it is active and the merchant was warned as often, see `failing_warnings`. Healthy endpoints are not locked. */
const lockWarned = async (
  ctx: Context,
  id: string,
  { atLeast, atMost }: { atLeast: number; atMost: number },
): Promise<WebhookEndpoint | null> => {
  const found = await firstRow(
    ctx.em,
    sql`select 1 from webhook_endpoint where id = ${id}::uuid and status = 'active' and failing_warnings between ${atLeast} and ${atMost}`,
  );
  if (!found) return null;
  return ctx.em.findOne(
    WebhookEndpoint,
    { id, deletedAt: null, status: 'active' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
};

/** A retry succeeded: the merchant is told if there was a warning. */
export const followSuccess = async (ctx: Context, { endpointId }: WebhookDelivery): Promise<void> => {
  const endpoint = await lockWarned(ctx, endpointId, { atLeast: 1, atMost: 2 });
  if (endpoint) await endFailing(ctx, endpoint);
};

/**
 * A retry failed. An endpoint with few events may fail for days before its circuit breaker opens: it fails since the
 * delivery was created, unless it was changed or enabled later. A replay says nothing about the time since then.
 */
export const followFailure = async (ctx: Context, delivery: WebhookDelivery, lastFailure: DeliveryFailure): Promise<void> => {
  const { endpointId, createdAt, trigger } = delivery;
  const warnings = warningsAfter(ctx.clock.now().getTime() - createdAt.getTime());
  if (trigger !== 'schedule' || warnings === 0) return;
  const endpoint = await lockWarned(ctx, endpointId, { atLeast: 0, atMost: warnings - 1 });
  if (!endpoint) return;
  endpoint.failingSince ??= new Date(Math.max(endpoint.updatedAt.getTime(), createdAt.getTime()));
  await continueFailing(ctx, endpoint, lastFailure);
};
