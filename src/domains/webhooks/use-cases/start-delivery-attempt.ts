import { LockMode } from '@mikro-orm/core';
import { isResend } from '../../../contracts/webhooks.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { LOST } from '../deliveries/attempts.steps.ts';
import { type DeliveryRun, type DeliveryStep, prepareAttempt } from '../deliveries/prepare-attempt.steps.ts';
import { clampWait } from '../deliveries/schedule.rules.ts';
import { findOutgoing, findResendOutcome } from '../deliveries/webhook-deliveries.queries.ts';
import { WebhookDelivery } from '../webhook-delivery.entity.ts';

/** The worker of an attempt by another run is considered lost after this time. */
const LOST_AFTER_MS = 35 * SECOND_MS;

/**
 * A run makes one attempt at a time, so an open one was lost. Its outcome is unknown and it does not count as scheduled. Those
 * of lanes are lost only when another process takes the lane over.
 */
const markLostAttempts = (ctx: Context, delivery: WebhookDelivery, suffix: string): Promise<number> => {
  const before = new Date(ctx.clock.now().getTime() - LOST_AFTER_MS).toISOString();
  return execute(
    ctx.em,
    db
      .updateTable('webhook_attempt')
      .set(LOST)
      .where('deliveryId', '=', delivery.id)
      .where('outcome', 'is', null)
      .where('lane', 'is', null)
      .where(({ eb, or }) => or([eb('suffix', '=', suffix), eb('startedAt', '<', before)])),
  );
};

/**
 * Closes a delivery whose endpoint is inactive. Returns null if it was enabled meanwhile. The lock blocks a concurrent
 * enable, which would otherwise miss the delivery that is parked here. It is not waited for: others lock an endpoint before
 * its deliveries, and the delivery is locked already.
 */
const closeWithEndpoint = async (
  ctx: Context,
  delivery: WebhookDelivery,
  { schedule }: DeliveryRun,
): Promise<DeliveryStep | null> => {
  const endpoint = await firstRow(
    ctx.em,
    db
      .selectFrom('webhook_endpoint')
      .select(['status', 'deletedAt'])
      .where('id', '=', delivery.endpointId)
      .forShare()
      .skipLocked(),
  );
  if (!endpoint) return { kind: 'wait', retryInMs: clampWait(schedule, SECOND_MS) };
  if (endpoint.deletedAt !== null) return { kind: 'end', result: delivery.close('cancelled', ctx.clock.now()) };
  return endpoint.status === 'disabled' ? { kind: 'end', result: delivery.close('parked', ctx.clock.now()) } : null;
};

/** Sends whatever the status and the schedule are, until the attempt has an outcome. */
const startResend = async (ctx: Context, delivery: WebhookDelivery, run: DeliveryRun): Promise<DeliveryStep> => {
  const { attempts } = delivery;
  if (!delivery.isResending(run.suffix)) {
    const end = (await findResendOutcome(ctx, run)) ?? 'closed';
    return { kind: 'end', result: { end, attempts } };
  }
  const outgoing = await findOutgoing(ctx, delivery);
  invariant(outgoing, 'a delivery has an event and an endpoint');
  if (!outgoing.isInactive) return prepareAttempt(ctx, delivery, outgoing, run);
  delivery.endResend(run.suffix);
  return { kind: 'end', result: { end: 'not_sent', attempts } };
};

/**
 * Decides the next step of a delivery and prepares the attempt if one is due. The delivery is locked until this
 * transaction ends, not during the send. A run that was replaced, for example by one that the reconciler started because it did
 * not know of it, ends here.
 */
export const startDeliveryAttempt = (ctx: Context, input: DeliveryRun): Promise<DeliveryStep> =>
  inTransaction(ctx, async (ctx) => {
    const delivery = await ctx.em.findOne(
      WebhookDelivery,
      { id: input.deliveryId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (!delivery) return { kind: 'end', result: { end: 'closed', attempts: 0 } };
    if (delivery.attempts > 0) await markLostAttempts(ctx, delivery, input.suffix);
    if (isResend(input)) return startResend(ctx, delivery, input);
    const result = delivery.result();
    if (result) return { kind: 'end', result };
    const outgoing = await findOutgoing(ctx, delivery);
    invariant(outgoing, 'a delivery has an event and an endpoint');
    const closed = outgoing.isInactive ? await closeWithEndpoint(ctx, delivery, input) : null;
    if (closed) return closed;
    const replaced = delivery.replacedResult(input.suffix);
    if (replaced) return { kind: 'end', result: replaced };
    const earlyMs = (delivery.nextAttemptAt?.getTime() ?? 0) - ctx.clock.now().getTime();
    if (earlyMs > 0) return { kind: 'wait', retryInMs: clampWait(input.schedule, earlyMs) };
    return prepareAttempt(ctx, delivery, outgoing, input);
  });
