import { canResolve, canTransition, type Resolution } from '../../../contracts/payouts.ts';
import { faultClassOf } from '../../../contracts/rails.ts';
import { actorName, type Context, emitInternal } from '../../../platform/context.ts';
import { set } from '../../../platform/database/set.ts';
import { type AppError, conflict, type Details, invariant } from '../../../platform/errors.ts';
import { recordRefusal, withdrawRefusal } from '../../affiliates/index.ts';
import { resumeHolds } from '../../flags/index.ts';
import { askForApproval, paymentText } from '../approval/approval.steps.ts';
import { closeContradiction, openContradiction, raiseContradiction } from '../contradictions.steps.ts';
import { addCorrection } from '../corrections.steps.ts';
import { reserveItemsAgain, returnItems } from '../create/payout-items.steps.ts';
import { readDetails } from '../create/read-details.steps.ts';
import { railTimeOf } from '../manual/payment-time.steps.ts';
import type { Payout } from '../payout.entity.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { bookFees, emitPayoutEvent, postPayoutTransfer } from '../payout-money.steps.ts';
import { signalPayoutWorkflow, signalPendingPayouts, startCorrectionWorkflow } from '../payout-workflow.steps.ts';
import type { RailStatusUpdate } from '../rails/rail.ts';
import { holdAccount } from '../rails/rail-accounts.steps.ts';
import { prepareSend } from '../rails/transfer-order.ts';
import { addTimelineEntry, type TimelineEntry } from '../timeline.steps.ts';
import { type Change, isRefusal, type Refusal, type Step } from './change.ts';
import { decide, RUN_PAUSED } from './decide.ts';
import type { Effect } from './effects.ts';
import type { Input } from './inputs.ts';
import type { LockedPayout } from './load.ts';
import { isFinal, type PayoutState } from './state.ts';

/** What comes with an input and decides nothing. */
export interface Facts {
  note?: string | undefined;
  evidence?: string | undefined;
  /** How the bank names the payment, or its return. */
  bankReference?: string | undefined;
  /** When the bank executed the payment. */
  executedAt?: Date | undefined;
  /** When the bank sent it back. */
  occurredAt?: Date | undefined;
  /** Number of a reminder. */
  reminder?: number;
  /** What the provider says. */
  report?: RailStatusUpdate;
  resolution?: Resolution;
}

/** Throws the 409 of a refusal. */
export const decideOn = (locked: LockedPayout, input: Input): Change => {
  const decision = decide(locked.state, input);
  if (isRefusal(decision)) throw refusalOf(decision, locked);
  return decision;
};

/**
 * Decides and writes: the only way in which a payout changes after it was created. The caller holds the payout's lock, and its transaction.
 * Throws the 409 of a refusal, and then changed nothing.
 */
export const perform = async (ctx: Context, locked: LockedPayout, input: Input, facts: Facts = {}): Promise<Change> => {
  const change = decideOn(locked, input);
  for (const step of change.steps) await take(ctx, locked, step, facts);
  return change;
};

const DETAILS: Readonly<Partial<Record<Refusal['refused'], (locked: LockedPayout) => Details>>> = {
  ALREADY_DECIDED: ({ payout: { status, approvedAt } }) => ({ status, approvedAt: approvedAt?.toISOString() ?? null }),
  ALREADY_RETRIED: ({ retriedBy }) => ({ payoutId: retriedBy }),
  APPROVAL_NOT_REQUIRED: ({ payout: { status } }) => ({ status }),
  APPROVAL_REQUIRED: ({ payout: { approvalRequiredAt } }) => ({ since: approvalRequiredAt?.toISOString() }),
  ATTEMPT_STARTED: ({ payout: { status } }) => ({ status }),
  NOTHING_TO_RESOLVE: ({ payout: { status } }) => ({ status }),
  NOT_FAILED: ({ payout: { status } }) => ({ status }),
  NOT_PROCESSING: ({ payout: { status } }) => ({ status }),
  RAIL_ACCEPTED: ({ payout: { rail } }) => ({ rail }),
  RAIL_NOT_MANUAL: ({ payout: { rail, needsAttention } }) => ({ rail, needsAttention }),
  RETURN_REPORTED: ({ openReturn }) => ({ since: openReturn?.requestedAt.toISOString() }),
  RUN_PAUSED: ({ payout: { payoutRunId } }) => ({ runId: payoutRunId }),
  // While this one is pending, it is another payout.
  UNRESOLVED_PAYOUT: ({ payout: { id, status } }) => (status === 'completed' ? { payoutId: id } : {}),
};

const refusalOf = ({ refused, message, transition }: Refusal, locked: LockedPayout): AppError =>
  conflict(refused, message, { ...DETAILS[refused]?.(locked), ...transition });

/** Nothing of a paused run is paid, whatever became of the payout. */
export const assertRunGoesOn = (locked: LockedPayout, isRunPaused: boolean): void => {
  if (isRunPaused) throw refusalOf(RUN_PAUSED, locked);
};

const take = async (ctx: Context, locked: LockedPayout, { next, effects }: Step, facts: Facts): Promise<void> => {
  const { status: from } = locked.state;
  writeAttempt(ctx, locked, next);
  if (locked.attempt) await bookFees(ctx, locked.payout, locked.attempt);
  writePayout(ctx, locked, next, isResolution(effects) ? canResolve : canTransition);
  for (const effect of effects) await interpret(ctx, locked, effect, { ...facts, from });
};

const isResolution = (effects: readonly Effect[]): boolean =>
  effects.some((effect) => effect.do === 'record' && effect.entry === 'contradiction_resolved');

/** Times are those of the write. A row that contradicts its attempt must not move money that belongs to another payout. */
const writePayout = (ctx: Context, locked: LockedPayout, next: PayoutState, mayBecome: typeof canTransition): void => {
  const { payout, state } = locked;
  const now = ctx.clock.now();
  invariant(
    next.status === state.status || mayBecome(state.status, next.status),
    `${state.status} may not become ${next.status}`,
  );
  if (next.approval !== state.approval) set(payout, { approvedBy: actorName(ctx.actor), approvedAt: now, updatedAt: now });
  if (next.status !== state.status) {
    set(payout, { status: next.status, failedAt: next.status === 'failed' ? now : null, updatedAt: now });
    if (next.status === 'processing') payout.processingAt = now;
    if (next.status === 'completed') payout.completedAt = now;
    if (state.status === 'failed') payout.railReason = null;
  }
  payout.failureCode = next.failureCode;
  if (next.review !== state.review)
    set(payout, {
      needsAttention: next.review !== null,
      reviewReason: next.review,
      attentionSince: next.review === null ? null : now,
      updatedAt: now,
    });
  locked.state = next;
};

const writeAttempt = (ctx: Context, locked: LockedPayout, { attempt: next }: PayoutState): void => {
  const { payout, state } = locked;
  if (next === null || next === state.attempt) return;
  const now = ctx.clock.now();
  if (!locked.attempt)
    locked.attempt = ctx.em.create(PayoutAttempt, {
      id: ctx.ids.next(),
      payoutId: payout.id,
      n: 1,
      rail: payout.rail,
      railAccountId: locked.accountId,
      createdAt: now,
    });
  const { attempt } = locked;
  if (next.sends > (state.attempt?.sends ?? 0)) attempt.markSent(now, ctx.settings.payoutLimits);
  else if (next.outcome === 'unknown' && attempt.outcome !== 'unknown') attempt.markKnown(now);
  else if (next.outcome !== attempt.outcome) attempt.setOutcome(next.outcome, now);
  if (!next.isReturnReported) attempt.returnRequestedAt = null;
  else attempt.returnRequestedAt ??= now;
  attempt.lookUpRequested = next.isLookUpRequested;
  if (!next.isCancelRequested) attempt.cancelRequestedAt = null;
  else attempt.cancelRequestedAt ??= now;
};

interface Given extends Facts {
  /** The status before the step. */
  from: PayoutState['status'];
}

type Interpreter<Do extends Effect['do']> = (
  ctx: Context,
  locked: LockedPayout,
  effect: Extract<Effect, { do: Do }>,
  given: Given,
) => Promise<void> | void;

const INTERPRETERS: { readonly [Do in Effect['do']]: Interpreter<Do> } = {
  record: (ctx, locked, effect, given) => addTimelineEntry(ctx, locked.payout, entryOf(ctx, locked, effect, given)),
  emit: (ctx, { payout }, { event, isResolved }) => emitPayoutEvent(ctx, payout, event, isResolved),
  post: async (ctx, { payout }, { kind, from, to, items }) => {
    const openAdjustments = items && (await (items === 'return' ? returnItems : reserveItemsAgain)(ctx, payout));
    const transfer = { kind, from, to, at: payout.updatedAt };
    await postPayoutTransfer(ctx, payout, openAdjustments === undefined ? transfer : { ...transfer, openAdjustments });
  },
  resume_holds: (ctx, { payout }) => resumeHolds(ctx, payout.affiliateId),
  count_refusal: async (ctx, { payout, attempt }, _, { report }) => {
    const code = report?.failureCode ?? null;
    const fault = code === null ? null : faultClassOf(payout.rail, code);
    if (code === null || fault === null) return;
    // A provider that gets an order again tells what became of it the first time.
    const { railAccountId = null, firstSentAt = null } = attempt ?? {};
    await holdAccount(ctx, { railAccountId, lastSentAt: firstSentAt }, { class: fault, code });
    const details = fault === 'payee' ? readDetails(ctx, payout) : null;
    if (details) await recordRefusal(ctx, payout, { details, reason: code });
  },
  withdraw_refusal: async (ctx, { payout }) => {
    await withdrawRefusal(ctx, payout.id);
  },
  signal: (ctx, { payout }, { workflow }) =>
    workflow === 'payout' ? signalPayoutWorkflow(ctx, payout) : signalPendingPayouts(ctx, payout.affiliateId),
  open_return: async (ctx, locked, { cause }, { note, evidence, bankReference, occurredAt }) => {
    const told = cause === 'reported_return' ? { note, evidence, bankReference, occurredAt } : {};
    locked.openReturn = await addCorrection(ctx, locked.payout, attemptOf(locked), { cause, from: 'completed', ...told });
  },
  add_evidence_to_return: (_, { openReturn }, __, facts) => openReturn?.addEvidence(facts),
  close_return: (ctx, { openReturn, payout }, { as }) =>
    openReturn?.close(as, actorName(ctx.actor), as === 'booked' ? payout.updatedAt : ctx.clock.now()),
  tell_return: async (ctx, { payout, openReturn }, { news }) => {
    if (openReturn) await startCorrectionWorkflow(ctx, payout, openReturn.n, news);
  },
  open_contradiction: async (ctx, locked) => {
    invariant(locked.state.contradiction, 'the state says what is contradicted');
    locked.contradiction = await openContradiction(ctx, locked.payout, attemptOf(locked), locked.state.contradiction);
  },
  raise_contradiction: (ctx, { payout }) => raiseContradiction(ctx, payout),
  close_contradiction: async (ctx, { payout, contradiction }, _, { resolution, note = '' }) => {
    invariant(contradiction && resolution, 'only an open contradiction is resolved');
    await closeContradiction(ctx, payout, { n: contradiction, resolution, note });
  },
  book_resolution: async (ctx, locked, { from }, { note }) => {
    const { payout, contradiction } = locked;
    invariant(contradiction, 'only an open contradiction is resolved');
    const correction = await addCorrection(ctx, payout, attemptOf(locked), { cause: 'resolution', contradiction, from, note });
    correction.close('booked', actorName(ctx.actor), payout.updatedAt);
    await startCorrectionWorkflow(ctx, payout, correction.n);
  },
  take_references: (ctx, locked, { from }, given) => REFERENCES[from](ctx, locked, given),
  send: (ctx, locked) => {
    locked.send = prepareSend(ctx, locked.payout, attemptOf(locked));
  },
  remind: async (ctx, { payout }, _, { reminder = 0 }) =>
    emitInternal(ctx, { type: 'payout.reminder', payoutId: payout.id, merchantId: payout.merchantId, n: reminder }),
  ask_for_approval: (ctx, { payout }, _, { reminder = 0 }) => askForApproval(ctx, payout, reminder),
  // The use case creates it: it is another payout.
  create_retry: () => {},
};

const interpret = async <Do extends Effect['do']>(
  ctx: Context,
  locked: LockedPayout,
  effect: Extract<Effect, { do: Do }>,
  given: Given,
): Promise<void> => INTERPRETERS[effect.do as Do](ctx, locked, effect, given);

const attemptOf = ({ attempt }: LockedPayout): PayoutAttempt => {
  invariant(attempt, 'the payment has begun');
  return attempt;
};

type TakeReferences = (ctx: Context, locked: LockedPayout, given: Given) => void;

const REFERENCES: Readonly<Record<Extract<Effect, { do: 'take_references' }>['from'], TakeReferences>> = {
  report: (ctx, { payout, attempt }, { report }) => {
    if (!attempt || !report) return;
    attempt.railReference = report.railReference ?? attempt.railReference ?? null;
    attempt.failureCode = report.failureCode;
    payout.addReference(attempt.railReference);
    if (report.status === 'paid') payout.railPaidAt = railTimeOf(ctx, payout, report.occurredAt);
    if (report.status === 'failed') payout.railReason = report.failureCode;
  },
  reported_return: (_, { attempt }, { report }) => {
    if (attempt) attempt.failureCode = report?.failureCode ?? null;
  },
  person: (_, { payout }, { bankReference, executedAt }) => {
    payout.addReference(bankReference);
    // The reference of a payment that failed is on the timeline.
    if (payout.status === 'completed') set(payout, { bankReference: bankReference ?? null, executedAt: executedAt ?? null });
  },
  correction: (_, { payout, attempt, openReturn }) => {
    payout.railReason = attempt?.failureCode ?? null;
    payout.addReference(openReturn?.bankReference);
  },
  resolution: (ctx, { payout, attempt }) => {
    const word = attempt?.providerRecord;
    const isPaid = attempt?.outcome === 'paid' && word?.status === 'paid';
    if (attempt && isPaid) attempt.railReference ??= word.id ?? null;
    if (isPaid) payout.railPaidAt ??= railTimeOf(ctx, payout, new Date(word.at));
    payout.addReference(attempt?.railReference);
  },
};

type Recorded = Extract<Effect, { do: 'record' }>;

/** The timeline's line: what happened, with the facts that belong to it. */
const entryOf = (
  ctx: Context,
  locked: LockedPayout,
  { entry: type, isTransition, reason }: Recorded,
  given: Given,
): TimelineEntry => {
  const { payout, attempt, state } = locked;
  const { reminder } = given;
  return {
    type,
    ...(isTransition ? { from: given.from, to: state.status } : {}),
    // Reminders and instructions are about the payout.
    ...(attempt && reminder === undefined && type !== 'instructions_viewed' ? { attempt: attempt.n } : {}),
    ...(reminder === undefined ? {} : { reminder }),
    ...(reason === undefined ? {} : { reason }),
    ...factsOf(ctx, { type, payout, attempt }, locked, given),
  };
};

type EntryFacts = Pick<TimelineEntry, 'outcome' | 'railReference' | 'reason' | 'note'>;

const factsOf = (
  ctx: Context,
  { type, payout, attempt }: { type: TimelineEntry['type']; payout: Payout; attempt: PayoutAttempt | null },
  { openReturn }: LockedPayout,
  { report, resolution, ...told }: Given,
): EntryFacts => {
  const note = told.note ?? null;
  switch (type) {
    case 'approved':
      return { note: paymentText(ctx, payout) };
    case 'rail_accepted':
    case 'rail_failed':
      return { railReference: attempt?.railReference ?? null, reason: report?.failureCode ?? null };
    case 'rail_paid':
      return { railReference: attempt?.railReference ?? null };
    case 'manual_review_ended':
      return { outcome: 'accepted' };
    case 'contradiction_detected':
      return report ? { outcome: report.status, railReference: report.railReference, reason: report.failureCode } : {};
    case 'contradiction_resolved':
      return { reason: resolution ?? null, note };
    case 'returned':
      return { railReference: attempt?.railReference ?? null, reason: attempt?.failureCode ?? null };
    case 'marked_returned':
      return { railReference: openReturn?.bankReference ?? null, note: openReturn?.evidence ?? openReturn?.note ?? null };
    case 'marked_paid':
    case 'marked_failed':
      return { railReference: told.bankReference ?? null, note };
    case 'return_reported':
    case 'return_withdrawn':
      return { note };
    default:
      return {};
  }
};

/** Whether the workflow has to know: that of a final payout has ended, and a later change has a workflow of its own. */
export const concernsWorkflow = (before: PayoutState, after: PayoutState): boolean =>
  !isFinal(before) &&
  (after.status !== before.status ||
    (after.review === null) !== (before.review === null) ||
    Boolean(after.attempt?.isLookUpRequested));
