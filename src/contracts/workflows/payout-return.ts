import type { SearchValues, StartMessage, WorkflowDescriptor } from './descriptor.ts';
import { payoutStart } from './payout-lifecycle.ts';
import type { PayoutHeadline, PayoutSummary, PayoutWorkflowInput } from './payouts.ts';
import { QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

export interface PayoutReturnInput extends PayoutWorkflowInput {
  attemptId: string;
  attemptNumber: number;
}

export interface PayoutReturnResult extends PayoutHeadline {
  status: 'failed';
  reason: string;
  next: string;
  payoutId: string;
  outcome: 'returned' | 'already_returned';
}

/** Once the return is recorded. */
export const RETURNED: SearchValues = { State: 'failed', FailureCode: 'returned' };

type Payload = PayoutSummary & Pick<PayoutReturnInput, 'attemptId' | 'attemptNumber'>;

const id = (payoutId: string, attemptNumber: number): string => `payout/${payoutId}/return/${attemptNumber}`;

export const payoutReturn = {
  type: 'payoutReturn',
  queues: [QUEUES.payouts],
  id,
  restartedBy: 'reconciler',
  topics: { start: 'payout.return' },
  outboxPriority: 'payouts',
  priorityKey: 2,
  start: ({ payload }: StartMessage<Payload>, { links }: { links: WorkflowLinks }) => {
    const { attemptId, attemptNumber } = payload;
    return {
      ...payoutStart('Returned', payload, { attemptId, attemptNumber, links }),
      workflowId: id(payload.payoutId, attemptNumber),
    };
  },
} as const satisfies WorkflowDescriptor;
