import { Context as ActivityContext, activityInfo } from '@temporalio/activity';
import type { ReleaseActivities } from '../src/contracts/workflows/commission-release.ts';
import type { CorrectionActivities } from '../src/contracts/workflows/payout-correction.ts';
import type { PayoutActivities } from '../src/contracts/workflows/payout-lifecycle.ts';
import { payoutRun } from '../src/contracts/workflows/payout-run.ts';
import type { PayoutRunActivities } from '../src/contracts/workflows/payout-runs.ts';
import { CLOSED_PAYOUT_STATES } from '../src/contracts/workflows/payouts.ts';
import { approveCommissions } from '../src/domains/conversions/index.ts';
import { cancelRunPayouts, checkRun, claimPayoutRun, createRunPayouts } from '../src/domains/payout-runs/index.ts';
import {
  bookCorrection,
  checkPayout,
  checkReturn,
  claimRun,
  type HasShownEnd,
  lookUpPayout,
  type Rails,
  recordCancellationRequest,
  remindApproval,
  remindPayout,
  sendPayout,
} from '../src/domains/payouts/index.ts';
import type { Context, WorkflowRef } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import type { ProcessMetrics } from '../src/platform/metrics/process-metrics.ts';
import { findCancellationRequest } from './support/cancellation.ts';
import { translated } from './support/failures.ts';

export interface PayoutActivityRuntime {
  rails: Rails;
  contextFor(actor: { name: string; run: WorkflowRef | undefined }): Context;
  releaseFailures: ProcessMetrics['releaseFailures'];
}

const currentRun = (): WorkflowRef | undefined => {
  const { workflowExecution } = activityInfo();
  return workflowExecution && { workflowId: workflowExecution.workflowId, runId: workflowExecution.runId };
};

type Run = <T>(work: (ctx: Context) => Promise<T>) => Promise<T>;

const createRun =
  ({ contextFor }: PayoutActivityRuntime): Run =>
  async (work) => {
    faultPoint('worker:before-activity');
    const result = await work(contextFor({ name: activityInfo().workflowType ?? 'payout', run: currentRun() }));
    faultPoint('worker:after-activity');
    return result;
  };

const logOf = ({ contextFor }: PayoutActivityRuntime) => contextFor({ name: 'activity', run: undefined }).log;

/** States in which a payout or a payout run is closed. */
const CLOSED_STATES: readonly string[] = [...CLOSED_PAYOUT_STATES, ...payoutRun.finalStates];

const hasShownEnd: HasShownEnd = async ({ workflowId, runId }) => {
  const { client } = ActivityContext.current();
  try {
    const { searchAttributes } = await client.workflow.getHandle(workflowId, runId).describe();
    return CLOSED_STATES.some((state) => state === searchAttributes['State']?.[0]);
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
    throw error;
  }
};

/** Each runs at least once and is safe to repeat. */
export const payoutActivities = (runtime: PayoutActivityRuntime): PayoutActivities & CorrectionActivities => {
  const { rails } = runtime;
  const run = createRun(runtime);
  return translated(() => logOf(runtime), {
    sendPayout: (input) => run((ctx) => sendPayout(ctx, rails, input)),
    lookUpPayout: (input) => run((ctx) => lookUpPayout(ctx, rails, input)),
    loadPayout: (input) => run((ctx) => checkPayout(ctx, input)),
    remindPayout: (input) => run((ctx) => remindPayout(ctx, input)),
    remindApproval: (input) => run((ctx) => remindApproval(ctx, input)),
    claimRun: (input) => run((ctx) => claimRun(ctx, hasShownEnd, input)),
    recordCancellationRequest: async (input) => {
      await run((ctx) => recordCancellationRequest(ctx, input));
      return findCancellationRequest();
    },
    bookCorrection: (input) => run((ctx) => bookCorrection(ctx, input)),
    checkReturn: (input) => run((ctx) => checkReturn(ctx, rails, input)),
  } satisfies PayoutActivities & CorrectionActivities);
};

/** Each runs at least once and is safe to repeat. */
export const payoutRunActivities = (runtime: PayoutActivityRuntime): PayoutRunActivities => {
  const run = createRun(runtime);
  return translated(() => logOf(runtime), {
    checkRun: (input) => run((ctx) => checkRun(ctx, input)),
    createRunPayouts: (input) => run((ctx) => createRunPayouts(ctx, input)),
    cancelRunPayouts: (input) => run((ctx) => cancelRunPayouts(ctx, input)),
    claimPayoutRun: (input) => run((ctx) => claimPayoutRun(ctx, hasShownEnd, input)),
    findRunCancellation: () => findCancellationRequest(),
  } satisfies PayoutRunActivities);
};

/** Each runs at least once and is safe to repeat. */
export const releaseActivities = (runtime: PayoutActivityRuntime): ReleaseActivities => {
  const { releaseFailures } = runtime;
  const run = createRun(runtime);
  return translated(() => logOf(runtime), {
    releaseCommissions: (input) =>
      run((ctx) => approveCommissions(ctx, input)).then(
        (result) => {
          releaseFailures.inc(result.failed.length);
          return result;
        },
        (error: unknown) => {
          releaseFailures.inc();
          throw error;
        },
      ),
  } satisfies ReleaseActivities);
};
