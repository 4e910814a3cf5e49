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

const thisRun = (): WorkflowRef | undefined => {
  const { workflowExecution } = activityInfo();
  return workflowExecution && { workflowId: workflowExecution.workflowId, runId: workflowExecution.runId };
};

/** Steps of payout stories. Each runs at least once, and each is safe to repeat. */
export const payoutActivities = ({ rails, contextFor }: PayoutActivityRuntime): PayoutActivities & ReleaseActivities => {
  const step = async <T>(work: (ctx: Context) => Promise<T>): Promise<T> => {
    faultPoint('worker:before-activity');
    const done = await work(contextFor({ name: activityInfo().workflowType ?? 'payout', run: thisRun() }));
    faultPoint('worker:after-activity');
    return done;
  };
  return translated({
    startAttempt: (input) => step((ctx) => startAttempt(ctx, rails, input)),
    submitAttempt: (input) => step((ctx) => submitAttempt(ctx, rails, input)),
    settlePayout: (input) => step((ctx) => settlePayout(ctx, rails, input)),
    remindPayout: (input) => step((ctx) => remindPayout(ctx, input)),
    returnPayout: (input) => step((ctx) => returnPayout(ctx, input)),
    releaseCommissions: (input) => step((ctx) => releaseCommissions(ctx, input)),
  } satisfies PayoutActivities & ReleaseActivities);
};
