import {
  FLAG_DEADLINE_ACTIONS,
  FLAG_STATUSES,
  type FlagReviewState,
  type FlagSnapshot,
  type FlagStatus,
  type FlagSummary,
  type FlagTiming,
  type FlagType,
} from '../flags.ts';
import { flagSituation } from '../situations/flag.ts';
import type { CancellationRequest, SearchValues, StartMessage, TrackedWorkflow, WorkflowDescriptor } from './descriptor.ts';
import { flagLinks, flagSummaryLine } from './flag-review.texts.ts';
import { isCount, isFlag, isNullOr, isObjectOf, isOneOf, isTime } from './predicates.ts';
import { QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

/** Result of the `currentState` query. */
export interface FlagCurrentState {
  status: FlagStatus;
  waitingFor: string;
  dueAt: string | null;
  needsAttention: boolean;
}

export interface FlagReviewResult {
  affiliate: string;
  program: string;
  type: FlagType;
  status: FlagStatus | 'superseded';
  /** "by a person" or "by the deadline"; null for a copy. */
  resolved: string | null;
  flagId: string;
  conversions: number;
}

/** Every activity runs at least once and is safe to repeat. */
export interface FlagActivities {
  loadFlag(input: { flagId: string }): Promise<FlagReviewState>;
  /** Reminds the merchant. `reminder` counts from 1; one that was sent is not sent again. */
  remindFlag(input: { flagId: string; reminder: number }): Promise<FlagReviewState>;
  /** Does what the merchant chose for flags that nobody resolved in time. Changes nothing before the deadline. */
  applyFlagDeadline(input: { flagId: string }): Promise<FlagReviewState>;
  /** Rejects commissions that a confirmed flag holds, for about 5 seconds. The hold ends with the last one. */
  rejectFlagged(input: { flagId: string }): Promise<FlagReviewState>;
  /** Notes that a cancellation of the workflow was requested; it has no effect. */
  recordFlagCancellation(input: { flagId: string }): Promise<CancellationRequest>;
}

/** The deadline came, and the merchant chose to wait on. */
export const needsAttention = ({ status, deadlineAction }: FlagReviewState): boolean =>
  status === 'open' && deadlineAction === 'keep_open';

/** What the list of workflows shows. */
export const flagAttributes = (flag: FlagReviewState): SearchValues => ({
  State: flagSituation(flag).state,
  NeedsAttention: needsAttention(flag),
  DecideBy: flag.status === 'open' ? new Date(flag.dueAt) : null,
  Currency: flag.currency,
  AmountMinor: Number(flag.heldMinor),
  Amount: Number.parseFloat(flag.heldAmount),
});

const snapshotOf = ({ version, status, dueAt, deadlineAction, isHolding }: FlagReviewState): FlagSnapshot => ({
  version,
  status,
  dueAt,
  deadlineAction,
  isHolding,
});

const initial: FlagReviewState = {
  version: 0,
  status: 'open',
  dueAt: new Date(0).toISOString(),
  deadlineAction: null,
  isHolding: true,
  reminders: 0,
  atDeadline: 'keep_open',
  conversions: 0,
  held: 0,
  heldMinor: '0',
  currency: 'usd',
  heldAmount: '0',
  inPayout: 0,
};

const id = (flagId: string): string => `flag/${flagId}`;

export const flagReview = {
  type: 'flagReview',
  namespace: 'finance',
  queues: [QUEUES.reviews],
  id,
  restartedBy: 'reconciler',
  versioning: 'PINNED',
  topics: { start: 'flag.start', signal: 'flag.changed' },
  outboxPriority: 'payouts',
  priorityKey: 3,
  start({ payload }: StartMessage<FlagSummary>, { flagTiming, links }: { flagTiming: FlagTiming; links: WorkflowLinks }) {
    const { affiliateCode, programName, companyName: _, heldMinor: __, currency: ___, type, ...ids } = payload;
    return {
      workflowId: id(payload.flagId),
      // The order of its lines is the order in the Temporal UI.
      input: { affiliate: affiliateCode, program: programName, type, ...ids, timing: flagTiming, links },
      attributes: {
        MerchantId: payload.merchantId,
        ProgramId: payload.programId,
        AffiliateId: payload.affiliateId,
        AffiliateCode: affiliateCode,
        State: 'to_decide',
        NeedsAttention: false,
      },
      summary: flagSummaryLine(payload),
      details: flagLinks(payload, links),
    };
  },
  initial,
  finalStates: ['reviewed', 'dismissed', 'confirmed'],
  /** The numbers are of the result, whatever a signal brought meanwhile. */
  takeResult: (newest: FlagReviewState, result: FlagReviewState) =>
    result.version >= newest.version ? result : { ...result, ...snapshotOf(newest) },
  signal: {
    name: 'flagChanged',
    isPartial: true,
    take: (newest: FlagReviewState, signalled: FlagSnapshot) =>
      signalled.version > newest.version ? { ...newest, ...signalled } : newest,
    isValid: isObjectOf<FlagSnapshot>({
      version: isCount,
      status: isOneOf(FLAG_STATUSES),
      dueAt: isTime,
      deadlineAction: isNullOr(isOneOf(FLAG_DEADLINE_ACTIONS)),
      isHolding: isFlag,
    }),
  },
} as const satisfies WorkflowDescriptor & TrackedWorkflow<FlagReviewState, FlagSnapshot>;
