import { isCancelable } from '../../../contracts/rails.ts';
import type { PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { invariant } from '../../../platform/errors.ts';
import { perform } from '../machine/apply.ts';
import { hearNothing, hearResult, hearWaitingNotices } from '../machine/hear.ts';
import { type LockedPayout, loadHold, lockState } from '../machine/load.ts';
import { isFinal, isOpen } from '../machine/state.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import { getPayoutSnapshot } from '../payout-state.queries.ts';
import { railOfAttempt } from '../rails/account-rails.queries.ts';
import { lookAgainAfter, type Wait, waitToSend } from '../rails/account-turns.steps.ts';
import type { Answer, NeverReceived } from '../rails/answer.ts';
import { limitOf } from '../rails/provider-states.rules.ts';
import type { OnlineRail, SentAttempt } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import { sendOrder } from '../rails/send-order.ts';
import { type PreparedSend, sentAttemptOf } from '../rails/transfer-order.ts';
import { addStatusCheck } from '../timeline.steps.ts';

/**
 * Asks the provider for the status of an attempt that is still open, and sends it again under the same key when the
 * provider never received it and nothing came up against the payment since. Runs at least once.
 */
export const lookUpPayout = async (ctx: Context, rails: Rails, { payoutId }: { payoutId: string }): Promise<PayoutSnapshot> => {
  const open = await findOpenAttempt(ctx, payoutId);
  return open ? lookUpAttempt(ctx, await railOfAttempt(ctx, rails, open.attempt), open) : getPayoutSnapshot(ctx, payoutId);
};

interface OpenAttempt {
  payout: Payout;
  attempt: PayoutAttempt;
}

/** The attempt that is still open after the notices that nobody could match before. */
const findOpenAttempt = (ctx: Context, payoutId: string): Promise<OpenAttempt | null> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockState(ctx, payoutId);
    await hearWaitingNotices(ctx, locked);
    const { payout, attempt, state } = locked;
    return attempt && isOpen(attempt) && !isFinal(state) ? { payout, attempt } : null;
  });

const lookUpAttempt = async (ctx: Context, rail: OnlineRail, { payout, attempt }: OpenAttempt): Promise<PayoutSnapshot> => {
  const result = await rail.lookUp(sentAttemptOf(ctx, payout, attempt));
  const prepared = await inTransaction(ctx, (ctx) => applyLookUp(ctx, rail, payout.id, result));
  if ('order' in prepared) return sendOrder(ctx, rail, prepared);
  return 'cancel' in prepared ? cancelAtProvider(ctx, rail, prepared.cancel) : prepared;
};

/**
 * Asks the provider to cancel what it has. The order stays sent: after a crash, or an answer that is unclear, it is looked up and asked about
 * again.
 */
const cancelAtProvider = async (ctx: Context, rail: OnlineRail, sent: SentAttempt): Promise<PayoutSnapshot> => {
  const result = await rail.cancel?.(sent);
  return inTransaction(ctx, async (ctx) => {
    const locked = await lockState(ctx, sent.reference);
    const { payout, attempt } = locked;
    if (attempt && result) {
      await addStatusCheck(ctx, payout, attempt, result);
      await hearResult(ctx, locked, result);
      if (result.outcome === 'accepted') await perform(ctx, locked, { type: 'cancel_refused' });
    }
    return getPayoutSnapshot(ctx, payout.id);
  });
};

/** Returns the order to send again when the provider never received it and its key is still safe to repeat. */
const applyLookUp = async (
  ctx: Context,
  rail: OnlineRail,
  payoutId: string,
  result: Answer | NeverReceived,
): Promise<PreparedSend | PayoutSnapshot | { cancel: SentAttempt }> => {
  const locked = await lockState(ctx, payoutId);
  const { payout, attempt, state } = locked;
  invariant(attempt, 'what was looked up has an attempt');
  const wasOpen = !isFinal(state) && isOpen(attempt);
  if (wasOpen) await addStatusCheck(ctx, payout, attempt, result);
  if (result.outcome !== 'unknown') await perform(ctx, locked, { type: 'looked_up' });
  // Also after a person's decision during the look-up: the two may contradict each other.
  if (result.outcome !== 'never_received') await hearResult(ctx, locked, result);
  else if (wasOpen) {
    hearNothing(ctx, attempt, result);
    const wait = await resend(ctx, locked, attempt, rail);
    if (wait) return { ...(await getPayoutSnapshot(ctx, payoutId)), ...lookAgainAfter(wait) };
  }
  if (locked.send) return locked.send;
  if (result.outcome === 'accepted' && locked.state.attempt?.isCancelRequested && !isFinal(locked.state)) {
    if (isCancelable(payout.rail, attempt.railState ?? null)) return { cancel: sentAttemptOf(ctx, payout, attempt) };
    // The provider has moved it on since.
    await perform(ctx, locked, { type: 'cancel_refused' });
  }
  await reviewSilence(ctx, locked, attempt, rail);
  return getPayoutSnapshot(ctx, payoutId);
};

const resend = async (ctx: Context, locked: LockedPayout, attempt: PayoutAttempt, rail: OnlineRail): Promise<Wait | null> => {
  const block = attempt.resendBlock(ctx.clock.now(), rail.facts, ctx.settings.payoutLimits);
  if (block === 'too_early' || block === 'useless' || (block === null && locked.state.review !== null)) return null;
  if (block !== null) await perform(ctx, locked, { type: 'review', reason: block });
  else {
    const { payoutsPaused } = await loadHold(ctx, locked);
    const isUnhindered = locked.state.hold === null && !payoutsPaused;
    const wait = isUnhindered && attempt.railAccountId ? await waitToSend(ctx, attempt.railAccountId) : null;
    if (wait) return wait;
    await perform(ctx, locked, { type: 'resend', arePayoutsPaused: payoutsPaused });
  }
  return null;
};

const reviewSilence = async (ctx: Context, locked: LockedPayout, attempt: PayoutAttempt, rail: OnlineRail): Promise<void> => {
  const { maxUnknownMs } = ctx.settings.payoutLimits;
  const { maxMs, since } = limitOf(rail.facts, attempt);
  const accepted = { maxMs: ctx.settings.scaled(maxMs), since };
  const reason = attempt.silence(ctx.clock.now(), { maxUnknownMs, accepted });
  if (reason) await perform(ctx, locked, { type: 'review', reason });
};
