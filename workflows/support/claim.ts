import * as wf from '@temporalio/workflow';
import { type RunClaim, SUPERSEDED } from '../../src/contracts/workflows/descriptor.ts';
import type { PayoutActivities } from '../../src/contracts/workflows/payout-lifecycle.ts';
import type { Page } from './ignore-cancellation.ts';
import { publish } from './publish.ts';

/** Shows that a run is a copy, or that another one continues in its place: it is not counted. */
export const showSuperseded = (page: Page, details: string): void => {
  page.show(details);
  publish(SUPERSEDED);
};

/** Whether the database names this run as the one that shows the payout. */
export const isShownHere = ({ run }: { run?: string | null }): boolean => run === undefined || run === wf.workflowInfo().runId;

/**
 * Whether another run shows what this one ended with. Decided in the last task, after `page.noted()`: what an earlier run was told is in
 * the history that a reset keeps, and does not hold for this one.
 */
export const isSupersededAtEnd = async (
  page: Page,
  shown: { run?: string | null },
  ask: () => Promise<RunClaim>,
): Promise<boolean> => {
  let claim: { run?: string | null; isSuperseded?: boolean } = shown;
  await page.noted();
  while (!isShownHere(claim)) {
    claim = await ask();
    await page.noted();
  }
  return claim.isSuperseded === true;
};

export const claim = (
  { claimRun }: Pick<wf.ActivityInterfaceFor<PayoutActivities>, 'claimRun'>,
  payoutId: string,
  n: number | null = null,
): Promise<RunClaim> => {
  const startedAt = wf.workflowInfo().startTime.toISOString();
  return claimRun.executeWithOptions({ summary: 'Find out which run shows the payout' }, [{ payoutId, n, startedAt }]);
};
