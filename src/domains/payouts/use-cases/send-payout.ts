import { type PayoutSnapshot, payoutWorkflowId } from '../../../contracts/workflows/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { takeListedReferences } from '../holds/payee-hold.steps.ts';
import { perform } from '../machine/apply.ts';
import { hearWaitingNotices } from '../machine/hear.ts';
import { loadHold, lockState } from '../machine/load.ts';
import { getPayoutSnapshot } from '../payout-state.queries.ts';
import { railOfAttempt } from '../rails/account-rails.queries.ts';
import { findTurn, lookAgainAfter, takeTurn } from '../rails/account-turns.steps.ts';
import { assertSends, type Rails } from '../rails/rails.ts';
import { sendOrder } from '../rails/send-order.ts';
import { showIn } from '../shown-row.steps.ts';

/**
 * Stores the first attempt of a pending payout as sent, commits, and only then sends it: after a crash in between its
 * outcome is unknown, and only a look-up may follow. A payout on hold stays pending, and one of a blocked affiliate fails.
 * One that its account cannot send yet stays pending too, and says when to try again. The second call sends nothing.
 */
export const sendPayout = async (ctx: Context, rails: Rails, input: { payoutId: string }): Promise<PayoutSnapshot> => {
  const opened = await inTransaction(ctx, async (ctx) => {
    const locked = await lockState(ctx, input.payoutId);
    if (locked.state.status !== 'pending') return null;
    assertSends(rails, locked.payout.rail);
    showIn(ctx, locked.payout, payoutWorkflowId(input.payoutId));
    const { isReported } = await loadHold(ctx, locked);
    if (locked.state.hold === null && locked.state.approval !== 'waiting') {
      // What the provider knows already is not sent.
      const turn = await (isReported ? findTurn : takeTurn)(ctx, locked.payout);
      if (!turn || 'waitMs' in turn) return turn;
      locked.accountId = turn.accountId;
    }
    await perform(ctx, locked, { type: 'start', isReported });
    // After the restore of a backup the provider may know the transfer already.
    if (isReported) await hearWaitingNotices(ctx, locked);
    const { send, attempt } = locked;
    if (isReported && attempt) await takeListedReferences(ctx, attempt, locked.payout);
    return send && attempt && { rail: await railOfAttempt(ctx, rails, attempt), send };
  });
  if (opened && 'send' in opened) return sendOrder(ctx, opened.rail, opened.send);
  return { ...(await getPayoutSnapshot(ctx, input.payoutId)), ...(opened ? lookAgainAfter(opened) : {}) };
};
