import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { PAYOUT_FAILED, type PayoutLifecycleResult } from '../../src/contracts/workflows/payouts.ts';

/** The result of a payout's workflow, which ends as Failed when the payout failed. */
export const outcomeOf = async (handle: WorkflowHandle): Promise<PayoutLifecycleResult> => {
  try {
    return (await handle.result()) as PayoutLifecycleResult;
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : null;
    if (!(cause instanceof ApplicationFailure) || cause.type !== PAYOUT_FAILED) throw error;
    return cause.details?.[0] as PayoutLifecycleResult;
  }
};
