import { LockMode } from '@mikro-orm/core';
import type { DeliveryInput, DeliveryResult, DeliveryTrigger, EndpointStatus } from '../../../contracts/webhooks.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import type { OutboundMessage } from '../../../platform/outbound/outbound.ts';
import { readLiveSecrets } from '../read-live-secrets.ts';
import { clampWait, type DeliverySchedule } from '../schedule.ts';
import { deliveryHeaders } from '../signature.ts';
import { findOutgoing, type Outgoing } from '../webhook-deliveries.queries.ts';
import { WebhookDelivery } from '../webhook-delivery.entity.ts';

/** The next step of a delivery: end, wait, or send an attempt. */
export type DeliveryStep =
  | { kind: 'end'; result: DeliveryResult }
  | { kind: 'wait'; retryInMs: number }
  | { kind: 'send'; n: number; message: OutboundMessage };

/** The worker of an attempt by another run is considered lost after this time. */
const LOST_AFTER_MS = 35 * SECOND_MS;

const triggerOf = (delivery: WebhookDelivery, suffix: string): DeliveryTrigger => {
  if (suffix.startsWith('/m')) return 'manual';
  return suffix.startsWith('/p') ? 'replay' : delivery.trigger;
};

/** A run makes one attempt at a time, so an open one was lost. Its outcome is unknown and it does not count as scheduled. */
const markLostAttempts = (ctx: Context, delivery: WebhookDelivery, suffix: string): Promise<number> => {
  const before = new Date(ctx.clock.now().getTime() - LOST_AFTER_MS).toISOString();
  return execute(
    ctx.em,
    sql`update webhook_attempt set outcome = 'unknown', error_code = 'worker_lost'
      where delivery_id = ${delivery.id}::uuid and outcome is null
        and (suffix = ${suffix} or started_at < ${before}::timestamptz)`,
  );
};

/**
 * Closes a delivery whose endpoint is inactive. Returns null if it was enabled meanwhile. The lock blocks a concurrent
 * enable, which would otherwise miss the delivery that is parked here.
 */
const closeWithEndpoint = async (ctx: Context, delivery: WebhookDelivery): Promise<DeliveryResult | null> => {
  const endpoint = await firstRow(
    ctx.em,
    sql<{ status: EndpointStatus; deleted: boolean }>`select status, deleted_at is not null as deleted
      from webhook_endpoint where id = ${delivery.endpointId}::uuid for share`,
  );
  if (!endpoint || endpoint.deleted) return delivery.close('cancelled', ctx.clock.now());
  return endpoint.status === 'disabled' ? delivery.close('parked', ctx.clock.now()) : null;
};

/** Assigns the attempt's number and signs its body. */
const prepareAttempt = async (
  ctx: Context,
  delivery: WebhookDelivery,
  suffix: string,
  outgoing: Outgoing,
): Promise<DeliveryStep> => {
  const now = ctx.clock.now();
  const secrets = await readLiveSecrets(ctx, delivery.endpointId);
  const headers = deliveryHeaders({
    eventId: delivery.eventId,
    at: now,
    body: outgoing.body,
    secrets: secrets.map((secret) => secret.text),
  });
  const n = delivery.startAttempt(now);
  await execute(
    ctx.em,
    sql`insert into webhook_attempt (delivery_id, n, suffix, trigger, url, started_at, secret_ids) values
      (${delivery.id}::uuid, ${n}, ${suffix}, ${triggerOf(delivery, suffix)}, ${outgoing.url},
        ${now.toISOString()}::timestamptz, ${secrets.map((secret) => secret.id)}::uuid[])`,
  );
  return { kind: 'send', n, message: { url: outgoing.url, headers, body: outgoing.body } };
};

/**
 * Decides the next step of a delivery and prepares the attempt if one is due. The delivery is locked until this
 * transaction ends, not during the send.
 */
export const startDeliveryAttempt = (
  ctx: Context,
  input: DeliveryInput & { schedule: DeliverySchedule },
): Promise<DeliveryStep> =>
  inTransaction(ctx, async (ctx) => {
    const delivery = await ctx.em.findOne(
      WebhookDelivery,
      { id: input.deliveryId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (!delivery) return { kind: 'end', result: { end: 'closed', attempts: 0 } };
    if (delivery.attempts > 0) await markLostAttempts(ctx, delivery, input.suffix);
    const result = delivery.result();
    if (result) return { kind: 'end', result };
    const outgoing = await findOutgoing(ctx, delivery);
    invariant(outgoing, 'a delivery has an event and an endpoint');
    const closed = outgoing.isInactive ? await closeWithEndpoint(ctx, delivery) : null;
    if (closed) return { kind: 'end', result: closed };
    const earlyMs = (delivery.nextAttemptAt?.getTime() ?? 0) - ctx.clock.now().getTime();
    if (earlyMs > 0) return { kind: 'wait', retryInMs: clampWait(input.schedule, earlyMs) };
    return prepareAttempt(ctx, delivery, input.suffix, outgoing);
  });
