import { ApplicationFailure } from '@temporalio/activity';
import type { DeliveryResult, WebhookActivities } from '../src/contracts/webhooks.ts';
import {
  type DeliverySchedule,
  type DeliveryStep,
  finishDeliveryAttempt,
  startDeliveryAttempt,
} from '../src/domains/webhooks/index.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import type { Outbound } from '../src/platform/outbound/outbound.ts';
import { translated } from './support/failures.ts';

export interface WebhookRuntime {
  /** A context of its own for one transaction; the name is who acts. */
  context(name: string): Context;
  outbound: Outbound;
  schedule: DeliverySchedule;
}

/** Waiting is a failure that says for how long: it leaves no history, no alarm and no error line. */
const resultOf = (step: Exclude<DeliveryStep, { kind: 'send' }>): DeliveryResult => {
  if (step.kind === 'end') return step.result;
  throw ApplicationFailure.create({
    type: 'DeliveryWaits',
    message: 'The delivery waits for its next attempt',
    nextRetryDelay: step.retryInMs,
    category: 'BENIGN',
  });
};

export const webhookActivities = (runtime: WebhookRuntime): WebhookActivities =>
  translated({
    /**
     * Runs at least once per attempt: a crash after the send sends the same bytes under the same id again. No
     * transaction is open during the send.
     */
    async attemptDelivery(input) {
      const { schedule } = runtime;
      const step = await startDeliveryAttempt(runtime.context('attemptDelivery'), { ...input, schedule });
      if (step.kind !== 'send') return resultOf(step);
      faultPoint('webhook:before-post');
      const report = await runtime.outbound.post(step.message);
      faultPoint('webhook:after-answer');
      const ctx = runtime.context('attemptDelivery');
      const next = await finishDeliveryAttempt(ctx, { ...input, n: step.n, report, schedule });
      const { answer, error, timings } = report;
      ctx.log.info({ ...input, n: step.n, httpStatus: answer?.status, error, ms: timings.totalMs, next }, 'webhook attempt');
      return resultOf(next);
    },
  });
