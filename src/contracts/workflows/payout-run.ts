import { isAnything, type StartMessage, type TrackedWorkflow, type WorkflowDescriptor } from './descriptor.ts';
import { runLinks, runSummaryLine } from './payout-run.texts.ts';
import {
  amountText,
  moneyAttributes,
  type PayoutRunInput,
  type PayoutRunSnapshot,
  type PayoutRunSummary,
  type RunTiming,
} from './payout-runs.ts';
import { QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

const id = (runId: string): string => `payout-run/${runId}`;

const initial: PayoutRunSnapshot = {
  version: 0,
  status: 'draft',
  cancelReason: null,
  decideBy: null,
  shares: [],
  leftOut: [],
  failures: [],
  needAttention: 0,
  stuck: 0,
  perMinute: null,
  createdBy: null,
  confirmedBy: null,
  confirmedAt: null,
  approvedBy: null,
  finishedAt: null,
  run: null,
};

export const payoutRun = {
  type: 'payoutRun',
  namespace: 'finance',
  queues: [QUEUES.payouts],
  id,
  restartedBy: 'reconciler',
  versioning: 'PINNED',
  topics: { start: 'payout_run.started', signal: 'payout_run.changed' },
  outboxPriority: 'payouts',
  priorityKey: 3,
  start({ payload }: StartMessage<PayoutRunSummary>, { runTiming, links }: { runTiming: RunTiming; links: WorkflowLinks }) {
    const { runId, merchantId, programId, programName, companyName, name = null, amounts, affiliates, createdAt } = payload;
    const company = companyName === undefined ? {} : { company: companyName };
    const headline = { amount: amountText(amounts), affiliates, program: programName, name, ...company };
    return {
      workflowId: id(runId),
      // The order of its lines is the order in the Temporal UI.
      input: { ...headline, runId, merchantId, programId, createdAt, timing: runTiming, links } satisfies PayoutRunInput,
      attributes: {
        MerchantId: merchantId,
        ProgramId: programId,
        State: 'draft',
        ...moneyAttributes(amounts),
        NeedsAttention: true,
      },
      summary: runSummaryLine(headline),
      details: runLinks({ ...headline, runId, merchantId, links }),
    };
  },
  initial,
  finalStates: ['completed', 'cancelled'],
  /** Whatever comes with it: the row is read again. */
  signal: { name: 'runChanged', isPartial: true, isValid: isAnything },
} as const satisfies WorkflowDescriptor & TrackedWorkflow<PayoutRunSnapshot, unknown>;
