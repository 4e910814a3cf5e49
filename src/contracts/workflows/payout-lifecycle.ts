import { formatMoney, toMajorUnits } from '../currencies.ts';
import { ATTEMPT_OUTCOMES, PAYOUT_STATUSES, REVIEW_REASONS } from '../payouts.ts';
import type { AtProvider } from '../rails.ts';
import {
  type CancellationRequest,
  newestOf,
  type RunClaim,
  type StartMessage,
  type StartOptions,
  type TrackedWorkflow,
  type WorkflowDescriptor,
} from './descriptor.ts';
import { payoutLinks, payoutSummaryLine } from './payout.texts.ts';
import { isPayoutPage } from './payout-page.ts';
import {
  type PayoutSnapshot,
  type PayoutSummary,
  type PayoutTiming,
  type PayoutWorkflowInput,
  payoutWorkflowId,
  situationOf,
} from './payouts.ts';
import { isCount, isFlag, isNullOr, isObjectOf, isOneOf, isOptional, isText, isTime } from './predicates.ts';
import { QUEUES, RAIL_QUEUES } from './queues.ts';
import type { WorkflowLinks } from './text.ts';

/** Every activity runs at least once and is safe to repeat. */
export interface PayoutActivities {
  /** Stores the first attempt, already marked as sent, and sends it. Only loads a payout that has an attempt. */
  sendPayout(input: { payoutId: string }): Promise<PayoutSnapshot>;
  /** Asks the provider for the status of the open attempt, and sends it again if the provider never received it. */
  lookUpPayout(input: { payoutId: string }): Promise<PayoutSnapshot>;
  /**
   * Loads the payout. A pending one on a manual rail, or without a needed approval, fails when its affiliate is blocked. With `contradiction`, `needsAttention` is
   * whether that one is unresolved.
   */
  loadPayout(input: { payoutId: string; contradiction?: number }): Promise<PayoutSnapshot>;
  /** Records reminder number `reminder`; the last one requests a manual review. */
  remindPayout(input: { payoutId: string; reminder: number; last: boolean }): Promise<PayoutSnapshot>;
  /** Records reminder number `reminder` of a payout that waits for approval; the last one fails it. */
  remindApproval(input: { payoutId: string; reminder: number; last: boolean }): Promise<PayoutSnapshot>;
  /**
   * Whether this run shows the payout, or its correction `n`. It is superseded when another one does: after a reset, and as a copy.
   * `startedAt`: ISO time of the run.
   */
  claimRun(input: { payoutId: string; n: number | null; startedAt: string }): Promise<RunClaim>;
  /** Notes on the timeline that a cancellation of the workflow was requested; it has no effect. */
  recordCancellationRequest(input: { payoutId: string }): Promise<CancellationRequest>;
}

/** What starts of all payout workflows have in common. `kind` begins the summary. */
export const payoutStart = <More extends object>(
  kind: string,
  payout: PayoutSummary,
  { links, ...more }: More & { links: WorkflowLinks },
): Omit<StartOptions, 'workflowId'> & { input: PayoutWorkflowInput & Omit<More, 'links'> } => {
  const { affiliateCode, programName, payoutId, merchantId, programId, affiliateId, amountMinor, currency, rail, method } =
    payout;
  const headline = { amount: formatMoney(Number(amountMinor), currency), to: affiliateCode, program: programName, rail, method };
  const { createdAt } = payout;
  return {
    // The order of its lines is the order in the Temporal UI.
    input: { ...headline, payoutId, merchantId, programId, affiliateId, amountMinor, currency, createdAt, ...more, links },
    attributes: {
      MerchantId: merchantId,
      ProgramId: programId,
      AffiliateId: affiliateId,
      AffiliateCode: affiliateCode,
      State: 'queued',
      Rail: rail,
      Currency: currency,
      AmountText: headline.amount,
      Amount: toMajorUnits(Number(amountMinor), currency),
      AmountMinor: Number(amountMinor),
      NeedsAttention: false,
    },
    summary: payoutSummaryLine(kind, headline),
    details: payoutLinks(headline, payout, links),
  };
};

const initial: PayoutSnapshot = {
  version: 0,
  status: 'pending',
  attemptId: null,
  attempts: 0,
  attemptOutcome: null,
  sendCount: 0,
  needsAttention: false,
  reviewReason: null,
  railReason: null,
  failureCode: null,
  resendAt: null,
  onHold: null,
};

export const payoutLifecycle = {
  type: 'payoutLifecycle',
  namespace: 'finance',
  queues: [QUEUES.payouts, ...RAIL_QUEUES],
  id: payoutWorkflowId,
  restartedBy: 'reconciler',
  versioning: 'PINNED',
  topics: { start: 'payout.start', signal: 'payout.changed' },
  outboxPriority: 'payouts',
  priorityKey: 2,
  start: ({ payload }: StartMessage<PayoutSummary>, { timing, links }: { timing: PayoutTiming; links: WorkflowLinks }) => {
    const { payoutId, approvalRequiredAt } = payload;
    const approval = approvalRequiredAt ? { approvalRequiredAt } : {};
    const { attributes, ...start } = payoutStart('Payout', payload, { ...approval, timing, links });
    return {
      ...start,
      attributes: {
        ...attributes,
        State: situationOf(start.input, { ...initial, awaitsApproval: 'approvalRequiredAt' in approval }).state,
      },
      workflowId: payoutWorkflowId(payoutId),
    };
  },
  initial,
  finalStates: ['completed', 'failed'],
  signal: {
    name: 'payoutChanged',
    take: newestOf<PayoutSnapshot>,
    isValid: isObjectOf<PayoutSnapshot>({
      version: isCount,
      status: isOneOf(PAYOUT_STATUSES),
      attemptId: isNullOr(isText),
      attempts: isCount,
      attemptOutcome: isNullOr(isOneOf(ATTEMPT_OUTCOMES)),
      atProvider: isOptional(
        isNullOr(isObjectOf<AtProvider>({ state: isNullOr(isText), since: isNullOr(isTime), isCancelRequested: isFlag })),
      ),
      sendCount: isCount,
      needsAttention: isFlag,
      reviewReason: isNullOr(isOneOf(REVIEW_REASONS)),
      railReason: isNullOr(isText),
      failureCode: isNullOr(isText),
      resendAt: isNullOr(isTime),
      onHold: isNullOr(isText),
      awaitsApproval: isOptional(isFlag),
      approvedAt: isOptional(isNullOr(isTime)),
      lookUpRequested: isOptional(isFlag),
      lookUpAfterMs: isOptional(isCount),
      run: isOptional(isNullOr(isText)),
      reference: isOptional(isNullOr(isText)),
      paidAt: isOptional(isNullOr(isTime)),
      correctedFrom: isOptional(isNullOr(isOneOf(PAYOUT_STATUSES))),
      attentionSince: isOptional(isNullOr(isTime)),
      page: isOptional(isPayoutPage),
    }),
  },
} as const satisfies WorkflowDescriptor & TrackedWorkflow<PayoutSnapshot>;
