import { LockMode } from '@mikro-orm/core';
import { isResend } from '../../../contracts/webhooks.ts';
import { after } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import type { SendReport } from '../../../platform/outbound/outbound.ts';
import { classifyAttempt, type DeliveryOutcome } from '../classify-attempt.ts';
import type { DeliveryRun, DeliveryStep } from '../delivery-step.ts';
import { disableForFailure } from '../failing-period.ts';
import { followFailure, followSuccess } from '../follow-retries.ts';
import { recordAttempt } from '../record-attempt.ts';
import { clampWait, type DeliverySchedule, waitAfter } from '../schedule.ts';
import { WebhookDelivery } from '../webhook-delivery.entity.ts';
import { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

export interface FinishDeliveryAttemptInput extends DeliveryRun {
  n: number;
  report: SendReport;
}

type Decision = Exclude<DeliveryStep, { kind: 'send' }>;

/**
 * Records the outcome of an attempt and decides the next step. The first success closes the delivery for every run. A 410
 * disables the endpoint and does not count as a scheduled attempt; it ends a test delivery without disabling anything. The
 * failure of a resend leaves the delivery as it was.
 */
export const finishDeliveryAttempt = (ctx: Context, input: FinishDeliveryAttemptInput): Promise<Decision> =>
  inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const delivery = await ctx.em.findOneOrFail(
      WebhookDelivery,
      { id: input.deliveryId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    const outcome = classifyAttempt(input.report, now);
    await recordAttempt(ctx, input, outcome);
    delivery.attempts = Math.max(delivery.attempts, input.n);
    delivery.endResend(input.suffix);
    if (outcome.succeeded) {
      await followSuccess(ctx, delivery);
      return { kind: 'end', result: delivery.close('succeeded', now) };
    }
    if (isResend(input)) return failResend(ctx, delivery, outcome);
    const result = delivery.result();
    if (result) return { kind: 'end', result };
    if (outcome.error === 'gone') return endGone(ctx, delivery);
    delivery.autoAttempts += 1;
    await followFailure(ctx, delivery, { error: outcome.error, httpStatus: input.report.response?.status ?? null });
    return settleFailure(delivery, outcome, input.schedule, now);
  });

const failResend = async (ctx: Context, delivery: WebhookDelivery, outcome: DeliveryOutcome): Promise<Decision> => {
  if (outcome.error === 'gone' && delivery.trigger !== 'test') await disableGone(ctx, delivery);
  return { kind: 'end', result: { end: 'failed', attempts: delivery.attempts } };
};

const endGone = async (ctx: Context, delivery: WebhookDelivery): Promise<Decision> => {
  const status = delivery.trigger === 'test' ? 'exhausted' : await disableGone(ctx, delivery);
  return { kind: 'end', result: delivery.close(status, ctx.clock.now()) };
};

/** Returns what becomes of the deliveries of the endpoint. */
const disableGone = async (ctx: Context, delivery: WebhookDelivery): Promise<'parked' | 'cancelled'> => {
  const endpoint = await ctx.em.findOneOrFail(
    WebhookEndpoint,
    { id: delivery.endpointId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  if (endpoint.deletedAt) return 'cancelled';
  await disableForFailure(ctx, endpoint, { reason: 'gone', lastFailure: { error: 'gone', httpStatus: 410 } });
  return 'parked';
};

/** Whether the endpoint was deleted or disabled meanwhile is checked by `startDeliveryAttempt`. */
const settleFailure = (delivery: WebhookDelivery, outcome: DeliveryOutcome, schedule: DeliverySchedule, now: Date): Decision => {
  const waitMs = waitAfter(schedule, delivery.autoAttempts, outcome.minWaitMs);
  if (waitMs === null) return { kind: 'end', result: delivery.close('exhausted', now) };
  delivery.waitUntil(after(now, waitMs), now);
  return { kind: 'wait', retryInMs: clampWait(schedule, waitMs) };
};
