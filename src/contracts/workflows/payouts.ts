import type { PayoutMethod } from '../affiliates.ts';
import { APPROVAL_TIMING, type ApprovalTiming } from '../approvals.ts';
import { toMajorUnits } from '../currencies.ts';
import { type AttemptOutcome, PAYOUT_LIMITS, type PayoutStatus, type ReviewReason } from '../payouts.ts';
import { type AtProvider, isPersonsTurn, type Rail } from '../rails.ts';
import { type PayoutHold, type PayoutSituation, type PayoutStateName, payoutSituation } from '../situations/payout.ts';
import type { SearchValues } from './descriptor.ts';
import type { PayoutPage } from './payout-page.ts';
import type { WorkflowLinks } from './text.ts';

/** The data of a payout that its workflows need. Amounts are decimal strings of minor units, times are ISO 8601. */
export interface PayoutSummary {
  payoutId: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  affiliateCode: string;
  programName: string;
  amountMinor: string;
  currency: string;
  rail: Rail;
  method: PayoutMethod;
  createdAt: string;
  /** Absent or null: nobody has to approve it, or somebody did. */
  approvalRequiredAt?: string | null;
}

/** The first lines of inputs and results, as the Temporal UI shows them. */
export interface PayoutHeadline {
  /** "52.50 USD". */
  amount: string;
  /** The affiliate's code. */
  to: string;
  program: string;
  rail: Rail;
  method: PayoutMethod;
}

/** Input of every payout workflow: lines for people first, then ids. */
export interface PayoutWorkflowInput
  extends PayoutHeadline,
    Omit<PayoutSummary, 'affiliateCode' | 'programName' | 'approvalRequiredAt'> {
  links: WorkflowLinks;
}

/** Part of the workflow input, so that tests can run with milliseconds. */
export interface PayoutTiming {
  /** Delay of the first status look-up without a notification; doubles up to `lookUpMaxMs`. */
  lookUpMs: number;
  lookUpMaxMs: number;
  /** Manual payment: reminders, counted from the payout's creation. The last one requests a manual review. */
  remindAfterMs: number[];
  /** How long the provider may be silent about what was sent before a person has to decide. */
  maxUnknownMs?: number;
  approval?: ApprovalTiming;
}

/** How much earlier than their pause look-ups may come, so that payouts that were sent together are not looked up together. */
export const LOOK_UP_JITTER = 0.2;

const HOUR = 3_600_000;

export const PAYOUT_TIMING: PayoutTiming = {
  lookUpMs: 2_000,
  lookUpMaxMs: 4 * HOUR,
  remindAfterMs: [24 * HOUR, 72 * HOUR, 168 * HOUR],
  maxUnknownMs: PAYOUT_LIMITS.maxUnknownMs,
  approval: APPROVAL_TIMING,
};

export interface PayoutLifecycleInput extends PayoutWorkflowInput {
  /** How long it was on hold so far, of one that is paid by hand: nobody is reminded then. */
  heldMs?: number;
  /** Absent: it needs no approval. */
  approvalRequiredAt?: string;
  timing: PayoutTiming;
}

/** Type of the failure that ends the workflow of a payout that failed. */
export const PAYOUT_FAILED = 'PayoutFailed';

/** Serves as the details of the `PayoutFailed` failure, too. */
export interface PayoutLifecycleResult extends PayoutHeadline {
  status: PayoutStatus | 'superseded';
  /** Why it failed, in words; null when it was paid. */
  reason: string | null;
  /** Where to read what happened later, before anything is paid again; null when it was paid. */
  next: string | null;
  payoutId: string;
  amountMinor: string;
  currency: string;
  attempts: number;
  failureCode: string | null;
}

/** Result of the `currentState` query. */
export interface PayoutState {
  status: PayoutStatus;
  waitingFor: string;
  attempts: number;
  needsAttention: boolean;
}

/** Result of each activity of a payout workflow, and argument of `payoutChanged`; everything else stays in Postgres. */
export interface PayoutSnapshot {
  /** Rises with each change of the payout or its attempts: of two snapshots, the higher one is newer. */
  version: number;
  status: PayoutStatus;
  /** The latest attempt, or null before the first one. */
  attemptId: string | null;
  attempts: number;
  /** Outcome of the latest attempt. */
  attemptOutcome: AttemptOutcome | null;
  /** Where the provider has the latest attempt, if it accepted it. */
  atProvider?: AtProvider | null;
  /** How often the latest attempt was sent, the first time included. */
  sendCount: number;
  needsAttention: boolean;
  /** Null unless `needsAttention`. */
  reviewReason: ReviewReason | null;
  /** The provider's own code of the latest attempt. */
  railReason: string | null;
  failureCode: string | null;
  /** ISO time before which the latest attempt is not sent again. Null when it may not be sent again at all. */
  resendAt: string | null;
  /** Why it may not be paid now. A `payoutChanged` signal follows when the hold ends. */
  onHold: PayoutHold | null;
  /** No first attempt may be reserved before a second actor approved it. A `payoutChanged` signal follows when one did. */
  awaitsApproval?: boolean;
  approvedAt?: string | null;
  /** A notification says what only a look-up may decide. */
  lookUpRequested?: boolean;
  /** The pause before the next look-up, where the provider's state decides it. Absent: the schedule of the workflow does. */
  lookUpAfterMs?: number;
  /** The run that shows the payout; null before the first one began. */
  run?: string | null;
  /** The rail's reference, or the bank's. */
  reference?: string | null;
  paidAt?: string | null;
  /** How it ended, when a correction has changed that since. */
  correctedFrom?: PayoutStatus | null;
  /** Time since which a person has to decide. */
  attentionSince?: string | null;
  page?: PayoutPage;
}

/** Workflows in these states said what became of the money. */
export const CLOSED_PAYOUT_STATES: readonly PayoutStateName[] = ['paid', 'failed', 'cancelled', 'returned'];

/** Whether a hold is what a person has to end, also of one that nobody paid in time before. */
export const isHeld = ({ onHold, reviewReason }: PayoutSnapshot): boolean =>
  onHold !== null && (reviewReason === null || reviewReason === 'reminders_exhausted');

/** Codes, in the order of what a person wants to know first. */
const reasonCodeOf = (payout: PayoutSnapshot): string | null => {
  if (payout.status === 'failed') return payout.railReason ?? payout.failureCode;
  return isHeld(payout) ? payout.onHold : payout.reviewReason;
};

/** A person is reminded every day from then on. */
const DECIDE_WITHIN_MS = 24 * HOUR;

export const decideByAfter = (attentionSince: string | null | undefined): Date | null =>
  attentionSince ? new Date(Date.parse(attentionSince) + DECIDE_WITHIN_MS) : null;

/** Deadline for a person's decision; null when nobody has to decide. */
export const decideByOf = (input: PayoutLifecycleInput, payout: PayoutSnapshot): Date | null => {
  const { rail, timing } = input;
  if (payout.needsAttention) return decideByAfter(payout.attentionSince);
  const remindMs = timing.remindAfterMs.at(-1);
  if (payout.awaitsApproval) return new Date(approvalDueMs(input, approvalTimingOf(timing).expireAfterMs));
  const isTurn = payout.status !== 'completed' && payout.status !== 'failed' && isPersonsTurn(rail, payout.status);
  if (!isTurn || payout.onHold || remindMs === undefined) return null;
  return new Date(payableSinceMs(input, payout) + remindMs);
};

const isFinal = ({ status }: PayoutSnapshot): boolean => status === 'completed' || status === 'failed';

/** Where the payout is. What changes one that ended has a workflow of its own. */
export const situationOf = (input: PayoutLifecycleInput, snapshot: PayoutSnapshot): PayoutSituation => {
  const payout = isFinal(snapshot) ? endOf(snapshot) : snapshot;
  const until = decideByOf(input, payout)?.toISOString() ?? null;
  const { rail } = input;
  const awaitsApproval = payout.awaitsApproval === true;
  return payoutSituation({ ...payout, rail, awaitsApproval, approveBy: until, decideBy: until, payBy: until });
};

export const approvalTimingOf = ({ approval = APPROVAL_TIMING }: PayoutTiming): ApprovalTiming => approval;

/** When something is due that waits for the approval. */
export const approvalDueMs = ({ approvalRequiredAt, createdAt }: PayoutLifecycleInput, afterMs: number): number =>
  Date.parse(approvalRequiredAt ?? createdAt) + afterMs;

/** Time since which a person can pay it manually. */
export const payableSinceMs = ({ createdAt, heldMs = 0 }: PayoutLifecycleInput, { approvedAt }: PayoutSnapshot): number =>
  Date.parse(approvedAt ?? createdAt) + heldMs;

/** What the list of workflows shows. `nextMs` is when the workflow continues automatically; null when it does not. */
export const payoutAttributes = (input: PayoutLifecycleInput, payout: PayoutSnapshot, nextMs: number | null): SearchValues => ({
  State: situationOf(input, payout).state,
  Reason: reasonCodeOf(payout),
  Reference: payout.reference ?? null,
  NeedsAttention: payout.needsAttention,
  DecideBy: decideByOf(input, payout),
  NextCheckAt: nextMs === null ? null : new Date(nextMs),
});

/** How a final payout ended: each later change has a workflow of its own, which may be faster than a run that is started again. */
export const endOf = (payout: PayoutSnapshot): PayoutSnapshot => {
  const { correctedFrom: status } = payout;
  const ended = { ...payout, needsAttention: false, reviewReason: null };
  if (!status || status === payout.status) return ended;
  return { ...ended, status, failureCode: null, railReason: null };
};

/** What the list shows of a payout as it ended. */
export const endAttributes = (input: PayoutLifecycleInput, payout: PayoutSnapshot): SearchValues => ({
  ...payoutAttributes(input, payout, null),
  ...(payout.status === 'completed' ? paidBy(input, 1, payout.paidAt) : {}),
});

/** Money that a workflow booked as paid, or with -1 took back. */
export const paidBy = (
  { amountMinor, currency }: Pick<PayoutSummary, 'amountMinor' | 'currency'>,
  sign: 1 | -1,
  at: string | null | undefined,
): SearchValues => ({
  PaidAmount: sign * toMajorUnits(Number(amountMinor), currency),
  PaidAt: at ? new Date(at) : null,
});

export const payoutWorkflowId = (payoutId: string): string => `payout/${payoutId}`;
