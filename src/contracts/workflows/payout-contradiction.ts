import { isAnything, type StartMessage, type WorkflowDescriptor } from './descriptor.ts';
import { payoutStart } from './payout-lifecycle.ts';
import type { PayoutHeadline, PayoutSnapshot, PayoutSummary, PayoutTiming, PayoutWorkflowInput } from './payouts.ts';
import { QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

export interface PayoutContradictionInput extends PayoutWorkflowInput {
  /** 1 for the first contradiction of the payout. */
  n: number;
  timing: PayoutTiming;
}

export interface PayoutContradictionResult extends PayoutHeadline {
  /** Of the payout, after a person resolved the contradiction. */
  status: PayoutSnapshot['status'];
  payoutId: string;
}

const id = (payoutId: string, n: number): string => `payout/${payoutId}/contradiction/${n}`;

export const payoutContradiction = {
  type: 'payoutContradiction',
  queues: [QUEUES.release],
  id,
  restartedBy: 'reconciler',
  topics: { start: 'payout.contradiction', signal: 'payout.contradiction_resolved' },
  signal: { name: 'contradictionResolved', isValid: isAnything },
  outboxPriority: 'payouts',
  priorityKey: 2,
  start: (
    { payload }: StartMessage<PayoutSummary & { n: number }>,
    { timing, links }: { timing: PayoutTiming; links: WorkflowLinks },
  ) => ({
    ...payoutStart('Contradiction', payload, { n: payload.n, timing, links }),
    workflowId: id(payload.payoutId, payload.n),
  }),
} as const satisfies WorkflowDescriptor;
