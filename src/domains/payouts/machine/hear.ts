import type { RailStatus } from '../../../contracts/payouts.ts';
import { claimByOf, failedBy, type Rail } from '../../../contracts/rails.ts';
import { DAY_MS } from '../../../platform/clock.ts';
import { type Context, emitInternal } from '../../../platform/context.ts';
import { isDeniedReturn } from '../corrections.steps.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import { bookFees } from '../payout-money.steps.ts';
import { provesAccount } from '../rails/account-hold.rules.ts';
import { type Answer, type NeverReceived, type ProviderWord, REFERENCE_KINDS } from '../rails/answer.ts';
import { addsFee } from '../rails/fees.rules.ts';
import type { RailNotification } from '../rails/rail.ts';
import { endHold, holdAccount } from '../rails/rail-accounts.steps.ts';
import {
  type MatchedNotification,
  markStale,
  matchNotifications,
  type NotifiedAttempt,
} from '../rails/rail-notifications.steps.ts';
import { perform } from './apply.ts';
import { isRefusal } from './change.ts';
import { decide } from './decide.ts';
import { type LockedPayout, stateOf } from './load.ts';
import { isFinal, isOpen } from './state.ts';

/* What the provider says becomes an input of the machine. The caller holds the payout's lock. */

/** The result of a look-up, or of the send at `sentAt`, which another one may have followed. */
export const hearResult = async (ctx: Context, locked: LockedPayout, result: Answer, sentAt?: Date): Promise<void> => {
  const { attempt } = locked;
  if (!attempt) return;
  attempt.request = result.request;
  attempt.response = result.response;
  attempt.addReferences(result.references);
  for (const reference of Object.values(result.references)) locked.payout.addReference(reference);
  const { railAccountId, lastSentAt } = attempt;
  const sent = { railAccountId, lastSentAt: sentAt ?? lastSentAt };
  if (result.outcome === 'unknown') await holdAccount(ctx, sent, result.fault);
  const word = result.word ?? wordOf(result);
  if (word) attempt.hear(word, ctx.clock.now());
  if (result.needsReview) await perform(ctx, locked, { type: 'review', reason: result.needsReview });
  if (!isKnown(result)) return;
  if (result.word?.record) attempt.hearFees(result.word.record, locked.payout.currency);
  const isMoved = enterState(attempt, result.state, ctx.clock.now());
  await hearAnswer(ctx, locked, result);
  await tellPayee(ctx, locked, isMoved);
  if (provesAccount(result)) await endHold(ctx, sent);
};

type KnownAnswer = Answer & { outcome: RailStatus };

const isKnown = (answer: Answer): answer is KnownAnswer => answer.outcome !== 'unknown';

/** What decides. `occurredAt`: as a bank booked it. */
type Heard = Pick<KnownAnswer, 'outcome' | 'railReference' | 'fault' | 'wasNeverPaid'> & { occurredAt?: Date };

/** An answer that says what became of the order. */
export const hearAnswer = async (ctx: Context, locked: LockedPayout, answer: Heard): Promise<void> => {
  const { railReference, fault, occurredAt } = answer;
  const status = answer.wasNeverPaid && locked.state.attempt && isOpen(locked.state.attempt) ? 'failed' : answer.outcome;
  const report = { status, railReference, failureCode: fault?.code ?? null, ...(occurredAt ? { occurredAt } : {}) };
  const deniesEvidence = await isDeniedReturn(ctx, locked.attempt, report);
  const cause = failedBy(locked.payout.rail, report.failureCode);
  await perform(ctx, locked, { type: 'answer', status, deniesEvidence, failedBy: cause }, { report });
  if (locked.attempt) await bookFees(ctx, locked.payout, locked.attempt);
};

/** An answer without a transfer: a rejection says what became of the order, an error nothing. */
const wordOf = ({ outcome, railReference: id, fault }: Answer): ProviderWord | null =>
  outcome === 'unknown' ? null : { status: outcome, id, reason: fault?.code ?? null, record: null };

/** Nothing is decided by it: the order may still arrive. */
export const hearNothing = (ctx: Context, attempt: PayoutAttempt, { outcome: status, isAsked }: NeverReceived): void => {
  if (isAsked !== false) attempt.hear({ status, id: null, reason: null, record: null }, ctx.clock.now());
};

type Notice = Omit<RailNotification, 'externalId' | 'idempotencyKey'>;

/** Returns false when it changes nothing by itself. */
export const hearNotice = async (ctx: Context, locked: LockedPayout, notice: Notice): Promise<boolean> => {
  const { payout, attempt } = locked;
  if (!attempt) return false;
  const { status, railReference, failureCode, record, occurredAt } = notice;
  // By an id that was not known the provider can be asked at last.
  if ((status === null || notice.isHint) && !namesAnother(attempt, notice)) takeReferences(locked, attempt, notice);
  if (status === null) return !(await perform(ctx, locked, { type: 'hint' })).isStale;
  attempt.hear({ status, id: railReference, reason: failureCode, record }, occurredAt);
  const isAgreed = !notice.isHint && agrees(payout, attempt, { ...notice, status });
  if (isAgreed) takeFacts(locked, attempt, notice);
  const report = { status, railReference, failureCode, occurredAt };
  const deniesEvidence = await isDeniedReturn(ctx, attempt, report);
  const cause = failedBy(payout.rail, failureCode);
  const input = { type: 'notice', agrees: isAgreed, status, deniesEvidence, failedBy: cause } as const;
  const { isStale } = await perform(ctx, locked, input, { report });
  if (isAgreed && enterState(attempt, notice.state, occurredAt)) await tellPayee(ctx, locked, true);
  await bookFees(ctx, payout, attempt);
  return !isStale;
};

const takeFacts = (locked: LockedPayout, attempt: PayoutAttempt, notice: Notice): void => {
  if (notice.record) attempt.hearFees(notice.record, locked.payout.currency);
  takeReferences(locked, attempt, notice);
};

const takeReferences = ({ payout }: LockedPayout, attempt: PayoutAttempt, { references = {} }: Notice): void => {
  attempt.addReferences(references);
  for (const reference of Object.values(references)) payout.addReference(reference);
};

/** The state of a transfer that has ended is its outcome. */
const enterState = (attempt: PayoutAttempt, state: string | undefined, at: Date): boolean =>
  isOpen(attempt) && attempt.enterState(state, at);

/** How long before the time to claim a payment is over its payee is told again. */
const TOLD_AGAIN_BEFORE_MS = 7 * DAY_MS;

/** The payee is told that they have to claim it, and once more before it is too late: each time has one email, however often it is said. */
const tellPayee = async (ctx: Context, { payout, attempt, state }: LockedPayout, isNew: boolean): Promise<void> => {
  if (!attempt || !isOpen(attempt) || isFinal(state) || state.attempt?.isCancelRequested) return;
  const since = attempt.railStateAt ?? null;
  const claimBy = claimByOf(payout.rail, { state: attempt.railState ?? null, since: since?.toISOString() ?? null });
  if (claimBy === null || since === null) return;
  const isLate = Date.parse(claimBy) - ctx.clock.now().getTime() <= TOLD_AGAIN_BEFORE_MS;
  if (!isNew && !isLate) return;
  const { id: payoutId, merchantId, affiliateId, rail } = payout;
  const n = isNew ? 0 : 1;
  await emitInternal(ctx, {
    type: 'payout.claim_needed',
    payoutId,
    merchantId,
    affiliateId,
    rail,
    n,
    since,
    claimBy: new Date(claimBy),
  });
};

/** Notices that came before the attempt existed here. */
export const hearWaitingNotices = async (ctx: Context, locked: LockedPayout): Promise<void> => {
  if (!locked.attempt) return;
  for (const { id, ...stored } of await matchNotifications(ctx, locked.attempt, locked.payout.merchantId)) {
    if (!(await hearNotice(ctx, locked, noticeOf(stored)))) await markStale(ctx, id);
  }
};

const noticeOf = ({ isHint, state, railReferences, occurredAt, ...notice }: Omit<MatchedNotification, 'id'>): Notice => ({
  ...notice,
  ...(isHint ? { isHint } : {}),
  ...(state === null ? {} : { state }),
  ...(railReferences === null ? {} : { references: railReferences }),
  occurredAt: new Date(occurredAt),
});

/** Whether a notification could change anything about an attempt as it was read without a lock. */
export const mayChange = (attempt: NotifiedAttempt, notification: RailNotification, rail: Rail): boolean => {
  const { status, record, isHint = false, state: word } = notification;
  if (status === null) return isOpen(attempt);
  if (isOpen(attempt) && word !== undefined && word !== attempt.railState) return true;
  if (addsFee(attempt, attempt.currency, record?.fees)) return true;
  const state = stateOf(
    { ...attempt, rail },
    { ...attempt, sendCount: 1, lookUpRequested: false },
    { contradiction: null, openReturn: null },
  );
  const decision = decide(state, { type: 'notice', agrees: !isHint, status, deniesEvidence: true });
  return !isRefusal(decision) && decision.steps.length > 0;
};

/** A payment must be that of the order, which was sent from here. */
const agrees = (payout: Payout, attempt: PayoutAttempt, notice: Notice & { status: RailStatus }): boolean => {
  const { status, record } = notice;
  const isOther =
    record && (record.reference !== payout.id || record.amountMinor !== payout.amount || record.currency !== payout.currency);
  if (isOther || namesAnother(attempt, notice)) return false;
  const isPayment = status === 'paid' || status === 'returned';
  return !isPayment || (record !== null && attempt.sendCount > 0);
};

/** Whether a notice names another transfer. An id of a kind that is known must be the same; without any, the id of the transfer must be. */
const namesAnother = (attempt: PayoutAttempt, { railReference, references = {} }: Notice): boolean => {
  const known = attempt.railReferences ?? {};
  const shared = REFERENCE_KINDS.filter((kind) => known[kind] !== undefined && references[kind] !== undefined);
  if (shared.length > 0) return shared.some((kind) => known[kind] !== references[kind]);
  return Boolean(attempt.railReference) && railReference !== attempt.railReference;
};
