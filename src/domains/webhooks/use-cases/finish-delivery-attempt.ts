import { LockMode } from '@mikro-orm/core';
import { isResend } from '../../../contracts/webhooks.ts';
import { after } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import type { SendReport } from '../../../platform/outbound/outbound.ts';
import { db } from '../../tables.ts';
import { recordAttempt } from '../deliveries/attempts.steps.ts';
import { classifyAttempt, type DeliveryOutcome } from '../deliveries/classify-attempt.rules.ts';
import type { DeliveryRun, DeliveryStep } from '../deliveries/prepare-attempt.steps.ts';
import { clampWait, type DeliverySchedule, waitAfter } from '../deliveries/schedule.rules.ts';
import { disableForFailure, followFailure, followSuccess, lockFollowedEndpoint } from '../endpoints/failing-period.steps.ts';
import { WebhookDelivery } from '../webhook-delivery.entity.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';

export interface FinishDeliveryAttemptInput extends DeliveryRun {
  n: number;
  report: SendReport;
}

type Decision = Exclude<DeliveryStep, { kind: 'send' }>;

/**
 * Records the outcome of an attempt and decides the next step. The first success closes the delivery for every run. A 410
 * disables the endpoint and does not count as a scheduled attempt; it ends a test delivery without disabling anything, and is a
 * failure like others when it comes from a former URL. The failure of a resend, or of a run that was replaced, leaves the delivery as it was.
 */
export const finishDeliveryAttempt = (ctx: Context, input: FinishDeliveryAttemptInput): Promise<Decision> =>
  inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const outcome = classifyAttempt(input.report, now);
    const endpoint = await lockFollowedEndpoint(ctx, input, outcome);
    const isGone = outcome.error === 'gone' && !(await isOfFormerUrl(ctx, input, endpoint));
    const delivery = await ctx.em.findOneOrFail(
      WebhookDelivery,
      { id: input.deliveryId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    await recordAttempt(ctx, input.deliveryId, { ...input, finishedAt: now, outcome });
    delivery.finishAttempt(input.n, input.suffix);
    if (outcome.succeeded) {
      await followSuccess(ctx, endpoint);
      return { kind: 'end', result: delivery.close('succeeded', now) };
    }
    if (isResend(input)) {
      if (isGone) await disableGone(ctx, endpoint);
      return { kind: 'end', result: { end: 'failed', attempts: delivery.attempts } };
    }
    const result = delivery.result();
    if (result) return { kind: 'end', result };
    if (isGone) return { kind: 'end', result: delivery.close(await disableGone(ctx, endpoint), now) };
    const replaced = delivery.replacedResult(input.suffix);
    if (replaced) return { kind: 'end', result: replaced };
    delivery.failScheduledAttempt();
    await followFailure(ctx, delivery, endpoint, { error: outcome.error, httpStatus: input.report.response?.status ?? null });
    return continueAfterFailure(delivery, outcome, input.schedule, now);
  });

/** Whether it was sent before the URL was changed: what that receiver says is not true of the present one. */
const isOfFormerUrl = async (
  ctx: Context,
  { deliveryId, n }: FinishDeliveryAttemptInput,
  endpoint: WebhookEndpoint | null,
): Promise<boolean> =>
  endpoint !== null &&
  (await firstRow(
    ctx.em,
    db
      .selectFrom('webhook_attempt')
      .select('n')
      .where('deliveryId', '=', deliveryId)
      .where('n', '=', n)
      .where('url', '!=', endpoint.url),
  )) !== null;

/** Returns the status for the deliveries of the endpoint, which is locked; for a test, which disables nothing, none is. */
const disableGone = async (ctx: Context, endpoint: WebhookEndpoint | null): Promise<'exhausted' | 'parked' | 'cancelled'> => {
  if (!endpoint) return 'exhausted';
  if (endpoint.deletedAt) return 'cancelled';
  await disableForFailure(ctx, endpoint, { reason: 'gone', lastFailure: { error: 'gone', httpStatus: 410 } });
  return 'parked';
};

/** Whether the endpoint was deleted or disabled meanwhile is checked by `startDeliveryAttempt`. */
const continueAfterFailure = (
  delivery: WebhookDelivery,
  outcome: DeliveryOutcome,
  schedule: DeliverySchedule,
  now: Date,
): Decision => {
  const waitMs = waitAfter(schedule, delivery.autoAttempts, outcome.minWaitMs);
  if (waitMs === null) return { kind: 'end', result: delivery.close('exhausted', now) };
  delivery.waitUntil(after(now, waitMs), now);
  return { kind: 'wait', retryInMs: clampWait(schedule, waitMs) };
};
