import { LockMode } from '@mikro-orm/core';
import { type DeliveryFailure, type DeliveryInput, type DeliveryTrigger, isResend } from '../../../contracts/webhooks.ts';
import { after, HOUR_MS } from '../../../platform/clock.ts';
import { type Context, emitInternal } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import type { DeliveryOutcome } from '../deliveries/classify-attempt.rules.ts';
import type { WebhookDelivery } from '../webhook-delivery.entity.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

/** The merchant is warned after each of these times without a success. */
const WARN_AFTER_MS = [24 * HOUR_MS, 72 * HOUR_MS];
/** An endpoint whose breaker is open after this time without a success is disabled. */
const DISABLE_AFTER_MS = 120 * HOUR_MS;

/** How many warnings the merchant should have got after a time without a success. */
export const warningsAfter = (failingMs: number): number => WARN_AFTER_MS.filter((ms) => ms <= failingMs).length;

export const laterOf = (at: Date, other: Date | null | undefined): Date => (other && other > at ? other : at);

/** Deliveries that are looked at for a success. */
const LATEST = 1_000;

/** Attempts may succeed elsewhere: in workflows of their own, and in a process that owned the lane meanwhile. */
const findSuccessSince = async (ctx: Context, endpointId: string, since: Date): Promise<Date | null> => {
  const latest = db
    .selectFrom('webhook_delivery')
    .select('updatedAt')
    .where('endpointId', '=', endpointId)
    .where('status', '=', 'succeeded')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(LATEST);
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom(latest.as('latest'))
      .select(({ fn }) => fn.max<string | null>('updatedAt').as('at'))
      .where('updatedAt', '>', since.toISOString()),
  );
  return row?.at ? new Date(row.at) : null;
};

/** Disables the endpoint, which is locked, and tells the merchant. Does nothing if it is disabled. */
export const disableForFailure = async (
  ctx: Context,
  endpoint: WebhookEndpoint,
  { reason, lastFailure }: { reason: 'gone' | 'failing'; lastFailure: DeliveryFailure },
): Promise<void> => {
  const disabledAt = ctx.clock.now();
  if (!endpoint.disable(reason, disabledAt)) return;
  const { id: endpointId, merchantId, failingSince = null } = endpoint;
  const type = 'webhook_endpoint.disabled';
  await emitInternal(ctx, { type, endpointId, merchantId, reason, disabledAt, failingSince, lastFailure });
};

/** An attempt failed: warns the merchant or disables the endpoint, which is locked, when it is time. */
export const continueFailing = async (ctx: Context, endpoint: WebhookEndpoint, lastFailure: DeliveryFailure): Promise<void> => {
  const { id: endpointId, merchantId, failingSince, breakerFailures } = endpoint;
  if (!failingSince) return;
  const countedFrom = laterOf(failingSince, endpoint.failingResetAt);
  const failingMs = ctx.clock.now().getTime() - countedFrom.getTime();
  const mustEnd = breakerFailures > 0 && failingMs >= DISABLE_AFTER_MS;
  const warning = warningsAfter(failingMs);
  if (!mustEnd && warning <= endpoint.failingWarnings) return;
  const succeededAt = await findSuccessSince(ctx, endpointId, failingSince);
  if (succeededAt) {
    endpoint.recover(succeededAt);
    return continueFailing(ctx, endpoint, lastFailure);
  }
  if (mustEnd) return disableForFailure(ctx, endpoint, { reason: 'failing', lastFailure });
  endpoint.warn(warning);
  const disableAt = breakerFailures > 0 ? after(countedFrom, DISABLE_AFTER_MS) : null;
  const type = 'webhook_endpoint.failing';
  await emitInternal(ctx, { type, endpointId, merchantId, warning, failingSince: countedFrom, disableAt, lastFailure });
};

/** An attempt succeeded: tells the merchant who was warned. The endpoint is locked. */
export const endFailing = async (ctx: Context, endpoint: WebhookEndpoint): Promise<void> => {
  const { id: endpointId, merchantId, failingSince } = endpoint;
  const recoveredAt = ctx.clock.now();
  if (!endpoint.recover(recoveredAt) || !failingSince) return;
  await emitInternal(ctx, { type: 'webhook_endpoint.recovered', endpointId, merchantId, failingSince, recoveredAt });
};

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
    db
      .selectFrom('webhook_delivery as d')
      .innerJoin('webhook_endpoint as e', 'e.id', 'd.endpointId')
      .select(['e.id as endpointId', 'd.trigger', 'd.createdAt', 'e.failingWarnings as warnings'])
      .where('d.id', '=', run.deliveryId),
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
  if (!endpoint.failingSince) endpoint.failSince(laterOf(delivery.createdAt, endpoint.failingResetAt));
  await continueFailing(ctx, endpoint, lastFailure);
};
