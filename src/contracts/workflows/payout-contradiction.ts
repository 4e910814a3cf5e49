import { isAnything, type StartMessage, type TrackedWorkflow, type WorkflowDescriptor } from './descriptor.ts';
import { payoutLifecycle, payoutStart } from './payout-lifecycle.ts';
import type { PayoutHeadline, PayoutSnapshot, PayoutSummary, PayoutTiming, PayoutWorkflowInput } from './payouts.ts';
import { QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

export interface PayoutContradictionInput extends PayoutWorkflowInput {
  /** 1 for the first contradiction of the payout. */
  n: number;
  timing: PayoutTiming;
}

export interface PayoutContradictionResult extends PayoutHeadline {
  /** Status of the payout after a person resolved the contradiction. */
  status: PayoutSnapshot['status'] | 'superseded';
  payoutId: string;
}

/** Result of the `currentState` query. */
export interface PayoutContradictionState {
  /** Status of the payout. */
  status: PayoutSnapshot['status'];
  waitingFor: string;
  needsAttention: boolean;
}

const id = (payoutId: string, n: number): string => `payout/${payoutId}/contradiction/${n}`;

export const payoutContradiction = {
  type: 'payoutContradiction',
  namespace: 'finance',
  queues: [QUEUES.release],
  id,
  restartedBy: 'reconciler',
  versioning: 'PINNED',
  topics: { start: 'payout.contradiction', signal: 'payout.contradiction_resolved' },
  outboxPriority: 'payouts',
  priorityKey: 2,
  start: (
    { payload }: StartMessage<PayoutSummary & { n: number }>,
    { timing, links }: { timing: PayoutTiming; links: WorkflowLinks },
  ) => {
    const { attributes, ...start } = payoutStart('Contradiction', payload, { n: payload.n, timing, links });
    return { ...start, attributes: { ...attributes, State: 'contradiction' }, workflowId: id(payload.payoutId, payload.n) };
  },
  initial: { ...payoutLifecycle.initial, needsAttention: true },
  /** It ends with the contradiction, whatever the status of the payout is. */
  finalStates: [],
  /** Whether it is true is read from the row. */
  signal: { name: 'contradictionResolved', isValid: isAnything },
} as const satisfies WorkflowDescriptor & TrackedWorkflow<PayoutSnapshot, unknown>;
