import * as wf from '@temporalio/workflow';
import type { PayoutActivities } from '../../src/contracts/workflows/payout-lifecycle.ts';

/** Started in the Temporal UI under an id of its own. */
export const isCopy = (workflowId: string): boolean => wf.workflowInfo().workflowId !== workflowId;

/** Whether the database names this run as the one that shows the payout. */
export const isShownHere = ({ run }: { run?: string | null }): boolean => run === undefined || run === wf.workflowInfo().runId;

export const claim = (
  { claimRun }: Pick<wf.ActivityInterfaceFor<PayoutActivities>, 'claimRun'>,
  payoutId: string,
  n: number | null = null,
): Promise<{ isSuperseded: boolean }> => {
  const startedAt = wf.workflowInfo().startTime.toISOString();
  return claimRun.executeWithOptions({ summary: 'Find out which run shows the payout' }, [{ payoutId, n, startedAt }]);
};
