import { ApplicationFailure } from '@temporalio/activity';
import pLimit from 'p-limit';
import type {
  DeliveryInput,
  DeliveryResult,
  ReplayActivities,
  ReplayProgress,
  WebhookActivities,
} from '../src/contracts/webhooks.ts';
import {
  classifyAttempt,
  type DeliverySchedule,
  type DeliveryStep,
  finishDeliveryAttempt,
  listDeliveryLog,
  replayNextEvents,
  startDeliveryAttempt,
} from '../src/domains/webhooks/index.ts';
import { SECOND_MS } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import type { Outbound } from '../src/platform/outbound/outbound.ts';
import { translated } from './support/failures.ts';

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
/** Batches of replays take long, and attempts must not wait for them. */
const MAX_REPLAY_STEPS = 2;

/** Events that one transaction of a replay examines at most. */
const REPLAY_BATCH = 500;
const REPLAY_BUDGET_MS = 5 * SECOND_MS;
/** Leaves the database to others for a part of the time. */
const REPLAY_PAUSE_MS = 50;

/** A wait is a benign failure with its own retry delay: it adds no history event, metric or error log. The UI shows `message`. */
const resultOf = async (
  ctx: Context,
  { deliveryId }: DeliveryInput,
  step: Exclude<DeliveryStep, { kind: 'send' }>,
  message = 'Not due yet',
): Promise<DeliveryResult> => {
  if (step.kind === 'end') return { ...step.result, log: await listDeliveryLog(ctx, deliveryId) };
  throw ApplicationFailure.create({
    type: 'DeliveryWaits',
    message,
    nextRetryDelay: step.retryInMs,
    category: 'BENIGN',
  });
};

export const webhookActivities = (runtime: WebhookRuntime): WebhookActivities & ReplayActivities => {
  const limit = pLimit(MAX_DATABASE_STEPS);
  const limitReplays = pLimit(MAX_REPLAY_STEPS);
  const replayNext = (replayId: string): Promise<ReplayProgress> =>
    limitReplays(() => replayNextEvents(runtime.context('continueReplay'), { replayId, limit: REPLAY_BATCH }));
  return translated(() => runtime.context('activity').log, {
    /**
     * Runs at least once per attempt: after a crash, the same bytes are sent again under the same id. No transaction is
     * open during the send.
     */
    async attemptDelivery(input) {
      const { schedule } = runtime;
      const step = await limit(() => startDeliveryAttempt(runtime.context('attemptDelivery'), { ...input, schedule }));
      if (step.kind !== 'send') return limit(() => resultOf(runtime.context('attemptDelivery'), input, step));
      faultPoint('webhook:before-post');
      const report = await runtime.outbound.post(step.message);
      const { response, error, timings } = report;
      faultPoint('webhook:after-response');
      const ctx = runtime.context('attemptDelivery');
      const outcome = classifyAttempt(report, ctx.clock.now()).error ?? 'succeeded';
      runtime.onAttempt?.(outcome);
      const next = await limit(() => finishDeliveryAttempt(ctx, { ...input, n: step.n, report, schedule }));
      ctx.log.info({ ...input, n: step.n, httpStatus: response?.status, error, ms: timings.totalMs, next }, 'webhook attempt');
      const message = `Attempt ${step.n}: ${outcome}${response ? ` (${response.status})` : ''}`;
      return limit(() => resultOf(ctx, input, next, message));
    },

    /** Runs at least once: it continues after the last batch that was committed. */
    async continueReplay({ replayId }) {
      const endsAt = performance.now() + REPLAY_BUDGET_MS;
      for (;;) {
        const progress = await replayNext(replayId);
        if (progress.state !== 'running' || progress.waitMs > 0 || performance.now() >= endsAt) return progress;
        await new Promise((resolve) => setTimeout(resolve, REPLAY_PAUSE_MS));
      }
    },
  });
};
