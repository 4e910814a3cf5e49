import { ApplicationFailure } from '@temporalio/activity';
import pLimit from 'p-limit';
import type { DeliveryResult, WebhookActivities } from '../src/contracts/webhooks.ts';
import { DELIVERY_STEPS, type DeliverySchedule, type DeliveryStep } from '../src/domains/webhooks/index.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import type { Outbound } from '../src/platform/outbound/outbound.ts';
import { translated } from './support/failures.ts';

const { startDeliveryAttempt, finishDeliveryAttempt, classifyAttempt } = DELIVERY_STEPS;

export interface WebhookRuntime {
  /** A new context for one transaction. The name identifies the actor. */
  context(name: string): Context;
  outbound: Outbound;
  schedule: DeliverySchedule;
  /** Called with `succeeded` or the error code of each attempt. */
  onAttempt?: (outcome: string) => void;
}

/**
 * Attempts that use the database at the same time: hundreds wait for receivers, and the other activities of the process
 * share its connections.
 */
const MAX_DATABASE_STEPS = 8;

/** A wait is a benign failure with its own retry delay: it adds no history event, metric or error log. The UI shows `message`. */
const resultOf = (step: Exclude<DeliveryStep, { kind: 'send' }>, message = 'Not due yet'): DeliveryResult => {
  if (step.kind === 'end') return step.result;
  throw ApplicationFailure.create({
    type: 'DeliveryWaits',
    message,
    nextRetryDelay: step.retryInMs,
    category: 'BENIGN',
  });
};

export const webhookActivities = (runtime: WebhookRuntime): WebhookActivities => {
  const limit = pLimit(MAX_DATABASE_STEPS);
  return translated(() => runtime.context('activity').log, {
    /**
     * Runs at least once per attempt: after a crash, the same bytes are sent again under the same id. No transaction is
     * open during the send.
     */
    async attemptDelivery(input) {
      const { schedule } = runtime;
      const step = await limit(() => startDeliveryAttempt(runtime.context('attemptDelivery'), { ...input, schedule }));
      if (step.kind !== 'send') return resultOf(step);
      faultPoint('webhook:before-post');
      const report = await runtime.outbound.post(step.message);
      const { response, error, timings } = report;
      faultPoint('webhook:after-response');
      const ctx = runtime.context('attemptDelivery');
      const outcome = classifyAttempt(report, ctx.clock.now()).error ?? 'succeeded';
      runtime.onAttempt?.(outcome);
      const next = await limit(() => finishDeliveryAttempt(ctx, { ...input, n: step.n, report, schedule }));
      ctx.log.info({ ...input, n: step.n, httpStatus: response?.status, error, ms: timings.totalMs, next }, 'webhook attempt');
      return resultOf(next, `Attempt ${step.n}: ${outcome}${response ? ` (${response.status})` : ''}`);
    },
  });
};
