import type { EntityData } from '@mikro-orm/core';
import type { AttemptOutcome, FailureCode, PayoutStatus, ReviewReason } from '../../../contracts/payouts.ts';
import { isCancelable, isConfirmedBy, type Rail } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { db } from '../../tables.ts';
import { findOpenContradiction } from '../contradictions.steps.ts';
import { findOpenReturn } from '../corrections.steps.ts';
import { isPayeeHeld } from '../holds/payee-hold.steps.ts';
import { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import type { PayoutCorrection } from '../payout-correction.entity.ts';
import { type AttemptConditions, findAttemptConditions, findLatestAttempt } from '../payout-state.queries.ts';
import type { PreparedSend } from '../rails/transfer-order.ts';
import type { Hold, PayoutState } from './state.ts';

// The lock is a template: a whole row for the ORM.

/** A payout whose lock the caller holds, with all that decides on it. */
export interface LockedPayout {
  payout: Payout;
  attempt: PayoutAttempt | null;
  /** A return of the attempt that is not booked yet. */
  openReturn: PayoutCorrection | null;
  /** Number of the open contradiction. */
  contradiction: number | null;
  /** Id of the payout that was created for what this one did not pay. */
  retriedBy: string | null;
  state: PayoutState;
  /** The merchant's account that the first attempt is sent from; null where there is none. */
  accountId: string | null;
  /** The order that has to be sent after the commit. */
  send: PreparedSend | null;
}

/**
 * Locks the affiliate's balance, then the payout: the same order everywhere. Throws NOT_FOUND. Everything else about the
 * payout is read afterwards: this statement may have waited, and sees other tables as they were before.
 */
export const lockPayout = async (ctx: Context, payoutId: string): Promise<Payout> => {
  const row = await firstRow(
    ctx.em,
    sql<EntityData<Payout>>`with balance as (
        select affiliate_id from ledger_balance
        where affiliate_id = (select affiliate_id from payout where id = ${payoutId}) for update)
      select p.*, b.affiliate_id as balance from payout p left join balance b on b.affiliate_id = p.affiliate_id
      where p.id = ${payoutId} for update of p`,
  );
  if (!row) throw notFound('Payout');
  return ctx.em.map(Payout, row);
};

/** The caller's own payout, locked: 404 when missing, 403 when it belongs to another merchant. The operator owns all. */
export const lockOwnPayout = async (ctx: Context, payoutId: string): Promise<Payout> =>
  readOwned(ctx, 'Payout', await lockPayout(ctx, payoutId));

/** 404 when missing. */
export const lockState = async (ctx: Context, payoutId: string): Promise<LockedPayout> =>
  loadState(ctx, await lockPayout(ctx, payoutId));

/** The caller's own: 404 when missing, 403 when it belongs to another merchant. The operator owns all. */
export const lockOwnState = async (ctx: Context, payoutId: string): Promise<LockedPayout> =>
  loadState(ctx, await lockOwnPayout(ctx, payoutId));

/** Like `lockState`, for a payout that the caller has locked. */
export const loadState = async (ctx: Context, payout: Payout): Promise<LockedPayout> => {
  // The first attempt ends pending.
  const attempt = payout.status === 'pending' ? null : await findLatestAttempt(ctx, payout.id);
  const open = payout.reviewReason === 'contradiction' ? await findOpenContradiction(ctx, payout.id) : null;
  const mayReturn = attempt?.outcome === 'paid' || attempt?.outcome === 'failed';
  const openReturn = mayReturn ? await findOpenReturn(ctx, attempt) : null;
  return {
    payout,
    attempt,
    openReturn,
    contradiction: open?.n ?? null,
    retriedBy: null,
    state: stateOf(payout, attempt, { contradiction: open, openReturn }),
    accountId: null,
    send: null,
  };
};

/**
 * Adds what stands against paying it, and returns the other conditions. A statement of its own, because only the begin of a payment, its
 * check and a resend ask.
 */
export const loadHold = async (ctx: Context, locked: LockedPayout): Promise<AttemptConditions> => {
  const conditions = await findAttemptConditions(ctx, locked.payout);
  locked.state = { ...locked.state, hold: conditions.hold ?? (await holdOfBooks(ctx, locked, conditions)) };
  return conditions;
};

/** A payment that the provider knows before it began here is only looked up, whatever the books may lack. */
const holdOfBooks = async (
  ctx: Context,
  { payout, attempt }: LockedPayout,
  conditions: AttemptConditions,
): Promise<Hold | null> => {
  if (conditions.isReported && !attempt) return null;
  if (conditions.arePaymentsHeld) return 'payments_held';
  return conditions.arePayeesHeld && (await isPayeeHeld(ctx, payout)) ? 'payee_held' : null;
};

/** Adds whether another payout was created for what this one did not pay: only a retry asks. */
export const loadRetry = async (ctx: Context, locked: LockedPayout): Promise<void> => {
  const retry = await firstRow(ctx.em, db.selectFrom('payout').select('id').where('retryOf', '=', locked.payout.id));
  locked.retriedBy = retry?.id ?? null;
  locked.state = { ...locked.state, isRetried: retry !== null };
};

interface StoredPayout {
  status: PayoutStatus;
  failureCode?: FailureCode | null;
  rail: Rail;
  reviewReason?: ReviewReason | null;
  approvalRequiredAt?: Date | string | null;
  approvedAt?: Date | string | null;
}

interface StoredAttempt {
  outcome: AttemptOutcome;
  sendCount: number;
  acceptedAt?: Date | string | null;
  returnRequestedAt?: Date | string | null;
  lookUpRequested: boolean;
  railState?: string | null;
  cancelRequestedAt?: Date | string | null;
}

const confirmerOf = (rail: Rail): PayoutState['confirmedBy'] => {
  if (isConfirmedBy(rail, 'person')) return 'person';
  return isConfirmedBy(rail, 'statusFile') ? 'bank' : 'provider';
};

/** Leaves out hold and retry. */
export const stateOf = (
  { status, failureCode = null, rail, reviewReason = null, approvalRequiredAt, approvedAt }: StoredPayout,
  attempt: StoredAttempt | null,
  { contradiction, openReturn: returnReport }: Pick<PayoutState, 'contradiction'> & { openReturn: PayoutState['returnReport'] },
): PayoutState => ({
  status,
  failureCode,
  confirmedBy: confirmerOf(rail),
  approval: approvalRequiredAt ? (approvedAt ? 'given' : 'waiting') : 'not_required',
  hold: null,
  attempt: attempt && {
    outcome: attempt.outcome,
    sends: attempt.sendCount,
    wasAccepted: Boolean(attempt.acceptedAt),
    isReturnReported: Boolean(attempt.returnRequestedAt),
    isLookUpRequested: attempt.lookUpRequested,
    isCancelable: attempt.outcome === 'accepted' && isCancelable(rail, attempt.railState ?? null),
    isCancelRequested: Boolean(attempt.cancelRequestedAt),
  },
  review: reviewReason,
  contradiction,
  returnReport,
  isRetried: false,
});
