import { WorkflowFailedError, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { PAYOUT_FAILED, type PayoutLifecycleResult } from '../../src/contracts/workflows/payouts.ts';
import { until } from './until.ts';

/** The relay starts a workflow soon after the commit of its payout. */
const isStarted = (handle: WorkflowHandle): Promise<boolean> =>
  handle.describe().then(
    () => true,
    (error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    },
  );

/** The result of a payout's workflow, which ends as Failed when the payout failed. */
export const outcomeOf = async (handle: WorkflowHandle): Promise<PayoutLifecycleResult> => {
  await until(`${handle.workflowId} has started`, () => isStarted(handle));
  try {
    return (await handle.result()) as PayoutLifecycleResult;
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : null;
    if (!(cause instanceof ApplicationFailure) || cause.type !== PAYOUT_FAILED) throw error;
    return cause.details?.[0] as PayoutLifecycleResult;
  }
};
