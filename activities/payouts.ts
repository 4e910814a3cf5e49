import { activityInfo } from '@temporalio/activity';
import type { PayoutActivities, ReleaseActivities } from '../src/contracts/workflows.ts';
import { releaseCommissions } from '../src/domains/conversions/index.ts';
import {
  type Rails,
  remindPayout,
  returnPayout,
  settlePayout,
  startAttempt,
  submitAttempt,
} from '../src/domains/payouts/index.ts';
import type { Context, WorkflowRef } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import { translated } from './support/failures.ts';

export interface PayoutActivityRuntime {
  rails: Rails;
  contextFor(actor: { name: string; run: WorkflowRef | undefined }): Context;
}

const currentRun = (): WorkflowRef | undefined => {
  const { workflowExecution } = activityInfo();
  return workflowExecution && { workflowId: workflowExecution.workflowId, runId: workflowExecution.runId };
};

/** Each runs at least once and is safe to repeat. */
export const payoutActivities = ({ rails, contextFor }: PayoutActivityRuntime): PayoutActivities & ReleaseActivities => {
  const run = async <T>(work: (ctx: Context) => Promise<T>): Promise<T> => {
    faultPoint('worker:before-activity');
    const result = await work(contextFor({ name: activityInfo().workflowType ?? 'payout', run: currentRun() }));
    faultPoint('worker:after-activity');
    return result;
  };
  const log = () => contextFor({ name: 'activity', run: undefined }).log;
  return translated(log, {
    startAttempt: (input) => run((ctx) => startAttempt(ctx, rails, input)),
    submitAttempt: (input) => run((ctx) => submitAttempt(ctx, rails, input)),
    settlePayout: (input) => run((ctx) => settlePayout(ctx, rails, input)),
    remindPayout: (input) => run((ctx) => remindPayout(ctx, input)),
    returnPayout: (input) => run((ctx) => returnPayout(ctx, input)),
    releaseCommissions: (input) => run((ctx) => releaseCommissions(ctx, input)),
  } satisfies PayoutActivities & ReleaseActivities);
};
