import * as wf from '@temporalio/workflow';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import type {
  ReconciliationActivities,
  ReconciliationProgress,
  ReconciliationResult,
} from '../src/contracts/workflows/reconciliation.ts';
import { activitiesOn, comparison, database } from './support/activities.ts';

/** Pages of one run; the next one goes on with a history of its own. */
const MAX_PAGES = 20;

const FROM_THE_START: ReconciliationProgress = { after: null, accounts: 0, failed: 0, differences: 0 };

/** Compares the books with the list of each account. */
export async function reconciliation(from: ReconciliationProgress = FROM_THE_START): Promise<ReconciliationResult> {
  const { listReconciledAccounts, liftAfterFailover, findReconciliationTrigger } = activitiesOn<ReconciliationActivities>(
    QUEUES.reviews,
    database,
  );
  const { compareAccount } = activitiesOn<ReconciliationActivities>(QUEUES.reviews, comparison);
  const progress = { ...from };
  const trigger = await findReconciliationTrigger.executeWithOptions({ summary: 'Why the books are compared' }, []);
  for (let page = 0; ; page++) {
    if (page === MAX_PAGES) await wf.continueAsNew<typeof reconciliation>(progress);
    const { accounts, after } = await listReconciledAccounts.executeWithOptions({ summary: 'List accounts' }, [
      { after: progress.after },
    ]);
    for (const account of accounts) {
      const summary = `Compare an account: ${account.rail}`;
      const { differences, problem } = await compareAccount.executeWithOptions({ summary }, [{ account, trigger }]);
      progress.accounts++;
      progress.differences += differences;
      if (problem !== null) progress.failed++;
    }
    progress.after = after;
    if (after === null) break;
  }
  const resumed = await liftAfterFailover.executeWithOptions({ summary: 'Resume payments after a failover, if clean' }, []);
  const { accounts, failed, differences } = progress;
  return { accounts, failed, differences, resumed };
}
