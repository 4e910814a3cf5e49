import type { CorrectionCause, CorrectionStatus, PayoutStatus } from '../payouts.ts';
import type { PayoutStateName } from '../situations/payout.ts';
import { isAnything, type SearchValues, type StartMessage, type WorkflowDescriptor } from './descriptor.ts';
import { payoutStart } from './payout-lifecycle.ts';
import {
  decideByAfter,
  type PayoutHeadline,
  type PayoutSummary,
  type PayoutTiming,
  type PayoutWorkflowInput,
  paidBy,
} from './payouts.ts';
import { QUEUES, RAIL_QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

export interface PayoutCorrectionInput extends PayoutWorkflowInput {
  /** 1 for the first correction of the payout. */
  n: number;
  cause: CorrectionCause;
  timing: PayoutTiming;
}

/** Result of each activity of the workflow; everything else stays in Postgres. */
export interface CorrectionSnapshot {
  /** `withdrawn`: nothing was booked, and nothing will be. */
  status: CorrectionStatus;
  /** Status of the payout before. */
  from: PayoutStatus;
  /** Status after; null unless it was booked. */
  to: PayoutStatus | null;
  /** Who said so, as a role; null for the provider. */
  by: string | null;
  /** The provider's own code. */
  reason: string | null;
  /** The bank's reference, or the rail's. */
  reference: string | null;
  needsAttention: boolean;
  /** Since when a person has to decide; null when nobody has to. */
  attentionSince?: string | null;
  closedAt: string | null;
  /** The run that shows it. */
  run: string | null;
}

export interface PayoutCorrectionResult extends PayoutHeadline {
  status: CorrectionStatus | 'superseded';
  /** Null once superseded, as what follows. */
  was: PayoutStatus | null;
  is: PayoutStatus | null;
  by: string | null;
  why: string | null;
  payoutId: string;
}

/** Every activity runs at least once and is safe to repeat. */
export interface CorrectionActivities {
  /** Books what the provider confirmed; loads the correction in any case. */
  bookCorrection(input: { payoutId: string; n: number }): Promise<CorrectionSnapshot>;
  /** Asks the provider whether the money came back, and books it if so. */
  checkReturn(input: { payoutId: string; n: number }): Promise<CorrectionSnapshot>;
}

type Payload = PayoutSummary & Pick<PayoutCorrectionInput, 'n' | 'cause'>;

const STATES = { open: 'to_decide', withdrawn: 'paid', booked: 'paid' } as const satisfies Record<
  CorrectionStatus,
  PayoutStateName
>;

export const stateOfCorrection = (
  { cause }: Pick<PayoutCorrectionInput, 'cause'>,
  { status, to }: Pick<CorrectionSnapshot, 'status' | 'to'>,
): PayoutStateName => {
  if (to !== 'failed') return STATES[status];
  return cause === 'resolution' ? 'failed' : 'returned';
};

/** What the list of workflows shows. `nextMs` is when the provider is asked again. */
export const correctionAttributes = (
  input: PayoutCorrectionInput,
  correction: CorrectionSnapshot,
  nextMs: number | null,
): SearchValues => ({
  State: stateOfCorrection(input, correction),
  Reason: correction.reason ?? input.cause,
  Reference: correction.reference,
  NeedsAttention: correction.needsAttention,
  DecideBy: decideByAfter(correction.attentionSince),
  NextCheckAt: nextMs === null ? null : new Date(nextMs),
  ...(correction.to === null ? {} : paidBy(input, correction.to === 'completed' ? 1 : -1, correction.closedAt)),
});

const id = (payoutId: string, n: number): string => `payout/${payoutId}/correction/${n}`;

const KINDS: Readonly<Record<CorrectionCause, string>> = {
  rail_return: 'Returned',
  reported_return: 'Reported return of',
  resolution: 'Resolved',
};

export const payoutCorrection = {
  type: 'payoutCorrection',
  namespace: 'finance',
  queues: [QUEUES.payouts, ...RAIL_QUEUES],
  id,
  restartedBy: 'reconciler',
  versioning: 'PINNED',
  topics: { start: 'payout.correction', signal: 'payout.correction_changed' },
  signal: { name: 'correctionChanged', isValid: isAnything },
  outboxPriority: 'payouts',
  priorityKey: 2,
  start: ({ payload }: StartMessage<Payload>, { timing, links }: { timing: PayoutTiming; links: WorkflowLinks }) => {
    const { n, cause } = payload;
    const { attributes, ...start } = payoutStart(KINDS[cause], payload, { n, cause, timing, links });
    const State = cause === 'rail_return' ? 'returned' : 'to_decide';
    return { ...start, attributes: { ...attributes, State }, workflowId: id(payload.payoutId, n) };
  },
} as const satisfies WorkflowDescriptor;
