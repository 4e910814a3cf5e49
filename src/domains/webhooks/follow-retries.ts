import { LockMode } from '@mikro-orm/core';
import { type DeliveryFailure, type DeliveryInput, type DeliveryTrigger, isResend } from '../../contracts/webhooks.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import type { DeliveryOutcome } from './classify-attempt.ts';
import { continueFailing, endFailing, laterOf, warningsAfter } from './failing-period.ts';
import type { WebhookDelivery } from './webhook-delivery.entity.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';

interface Followed {
  endpointId: string;
  trigger: DeliveryTrigger;
  createdAt: string;
  warnings: number;
}

/** How many warnings a retry of the delivery asks for. A replay says nothing about the time since its event. */
const warningsFor = ({ trigger, createdAt }: { trigger: DeliveryTrigger; createdAt: Date }, now: Date): number =>
  trigger === 'schedule' ? warningsAfter(now.getTime() - createdAt.getTime()) : 0;

const concernsEndpoint = (followed: Followed, run: DeliveryInput, outcome: DeliveryOutcome, now: Date): boolean => {
  if (outcome.error === 'gone') return followed.trigger !== 'test';
  if (outcome.succeeded) return followed.warnings > 0;
  return !isResend(run) && warningsFor({ ...followed, createdAt: new Date(followed.createdAt) }, now) > followed.warnings;
};

/**
 * The endpoint of the delivery, locked, if the outcome of an attempt may change it; null otherwise: healthy endpoints are not
 * locked. Called before the delivery is locked, because lanes lock an endpoint before its deliveries.
 */
export const lockFollowedEndpoint = async (
  ctx: Context,
  run: DeliveryInput,
  outcome: DeliveryOutcome,
): Promise<WebhookEndpoint | null> => {
  const followed = await firstRow(
    ctx.em,
    sql<Followed>`select e.id as "endpointId", d.trigger, d.created_at as "createdAt", e.failing_warnings as warnings
      from webhook_delivery d join webhook_endpoint e on e.id = d.endpoint_id where d.id = ${run.deliveryId}::uuid`,
  );
  if (!followed || !concernsEndpoint(followed, run, outcome, ctx.clock.now())) return null;
  return ctx.em.findOne(WebhookEndpoint, { id: followed.endpointId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
};

/** A retry succeeded: the merchant is told if there was a warning. */
export const followSuccess = async (ctx: Context, endpoint: WebhookEndpoint | null): Promise<void> => {
  if (endpoint?.isActive()) await endFailing(ctx, endpoint);
};

/**
 * A retry failed. An endpoint with few events may fail for days before its circuit breaker opens: it fails since the
 * delivery was created, unless its URL was changed or it was enabled later.
 */
export const followFailure = async (
  ctx: Context,
  delivery: WebhookDelivery,
  endpoint: WebhookEndpoint | null,
  lastFailure: DeliveryFailure,
): Promise<void> => {
  if (!endpoint?.isActive() || warningsFor(delivery, ctx.clock.now()) <= endpoint.failingWarnings) return;
  endpoint.failingSince ??= laterOf(delivery.createdAt, endpoint.failingResetAt);
  await continueFailing(ctx, endpoint, lastFailure);
};
