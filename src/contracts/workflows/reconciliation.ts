import type { Rail } from '../rails.ts';
import type { ReconciliationProblem, ReconciliationTrigger } from '../reconciliation.ts';
import type { WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';

/** An account at a provider whose list is compared with the books. Ids only. */
export interface ReconciledAccount {
  rail: Rail;
  merchantId: string | null;
  railAccountId: string | null;
}

/** Each runs at least once. */
export interface ReconciliationActivities {
  /** A page of accounts, those of the installation first. `after` is null for the first page, and when there are no more. */
  listReconciledAccounts(input: { after: string | null }): Promise<{ accounts: ReconciledAccount[]; after: string | null }>;
  /** Compares one account. A provider that fails is a result. */
  compareAccount(input: {
    account: ReconciledAccount;
    trigger: ReconciliationTrigger;
  }): Promise<{ differences: number; problem: ReconciliationProblem | null }>;
  /** Lets payments go on after a failover, if the books agree. */
  liftAfterFailover(): Promise<boolean>;
  /** Whether payments are on hold. */
  findReconciliationTrigger(): Promise<ReconciliationTrigger>;
}

/** What a run has done so far; the next one goes on from there. */
export interface ReconciliationProgress {
  after: string | null;
  accounts: number;
  failed: number;
  differences: number;
}

export type ReconciliationResult = Omit<ReconciliationProgress, 'after'> & { resumed: boolean };

const HOUR = 3_600_000;

export const reconciliation = {
  type: 'reconciliation',
  namespace: 'background',
  queues: [QUEUES.reviews],
  schedule: {
    id: 'reconciliation',
    interval: { every: 24 * HOUR, offset: 4 * HOUR },
    catchupWindow: '1 day',
    summary: "Compare the books with providers' lists",
    details:
      'Daily at 04:00 UTC, and every few minutes while all payments are on hold. Each account is compared by itself: a provider that fails is noted in its run and does not stop the others.',
  },
} as const satisfies WorkflowDescriptor;
