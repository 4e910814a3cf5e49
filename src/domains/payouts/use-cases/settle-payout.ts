import type { RailStatus } from '../../../contracts/payouts.ts';
import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, rows, sql } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { applyRailResult, applyRailStatus, requestManualReview } from '../apply-rail-status.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout, newestAttempt, snapshotOf } from '../payout-state.queries.ts';
import type { NeverReceived, PayoutRail, RailResult, TransferOrder } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import { addTimelineEntry } from '../timeline.ts';
import { prepareSend, sendMarked } from './send-attempt.ts';
import type { StepInput } from './start-attempt.ts';

/** Takes in the notifications that wait and, with `ask`, asks the rail about an attempt that is still open. */
export const settlePayout = async (ctx: Context, rails: Rails, input: StepInput & { ask: boolean }): Promise<PayoutSnapshot> => {
  const open = await takeNotices(ctx, input);
  const rail = open && rails.find(open.rail);
  if (input.ask && open && rail && !rail.byHand) await ask(ctx, rail, open.key, input);
  return snapshotOf(ctx, input.payoutId);
};

interface NotificationRow {
  id: string;
  attempt_id: string;
  status: RailStatus;
  rail_reference: string | null;
  failure_code: string | null;
}

const MAX_NOTICES = 100;

/** In the order of occurrence. Returns the attempt that is still open afterwards. */
const takeNotices = (ctx: Context, input: StepInput): Promise<{ rail: PayoutAttempt['rail']; key: string } | null> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    if (!payout) throw notFound('Payout');
    const waiting = await rows(
      ctx.em,
      sql<NotificationRow>`select id, attempt_id, status, rail_reference, failure_code from rail_notification
        where payout_id = ${payout.id}::uuid and handled_at is null order by occurred_at, id limit ${MAX_NOTICES}`,
    );
    for (const notification of waiting) {
      const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { id: notification.attempt_id });
      const told = {
        status: notification.status,
        railReference: notification.rail_reference,
        failureCode: notification.failure_code,
      };
      const applied = await applyRailStatus(ctx, payout, attempt, told);
      await ctx.em.flush();
      await closeNotification(ctx, notification.id, applied ? 'applied' : 'stale');
    }
    const attempt = await newestAttempt(ctx, payout.id);
    return attempt?.isOpen() && !payout.isFinal() ? { rail: attempt.rail, key: attempt.idempotencyKey } : null;
  });

export const closeNotification = (
  ctx: Context,
  notificationId: string,
  effect: 'applied' | 'stale' | 'repeated',
): Promise<number> =>
  execute(
    ctx.em,
    sql`update rail_notification set handled_at = ${ctx.clock.now().toISOString()}::timestamptz, effect = ${effect} where id = ${notificationId}::uuid`,
  );

const ask = async (ctx: Context, rail: PayoutRail, key: string, input: StepInput): Promise<void> => {
  const answer = await rail.lookUp(key);
  const again = await inTransaction(ctx, (ctx) => takeAnswer(ctx, { ...input, rail, key }, answer));
  if (again) await sendMarked(ctx, rail, again, input);
};

/** "Never received" allows the same order under the same key, inside the rail's window; else a person decides. */
const takeAnswer = async (
  ctx: Context,
  { payoutId, rail, key }: StepInput & { rail: PayoutRail; key: string },
  answer: RailResult | NeverReceived,
): Promise<TransferOrder | null> => {
  const payout = await lockPayout(ctx, payoutId);
  const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { idempotencyKey: key }, { refresh: true });
  if (!payout || payout.isFinal() || !attempt.isOpen()) return null;
  const railReference = answer.outcome === 'never_received' ? null : answer.railReference;
  const reason = answer.outcome === 'never_received' ? null : (answer.problem ?? answer.failureCode);
  await addTimelineEntry(ctx, payout, {
    what: `asked ${rail.name}: ${answer.outcome}`,
    attempt: attempt.n,
    railReference,
    reason,
  });
  if (answer.outcome !== 'never_received') {
    await applyRailResult(ctx, payout, attempt, answer);
    await ctx.em.flush();
    return null;
  }
  // An order that was accepted and is gone now is no case for sending it again.
  const mayRepeat = attempt.outcome === 'unknown' && attempt.canResend(ctx.clock.now(), rail.repeatWindowMs);
  if (mayRepeat) return prepareSend(ctx, payout, attempt);
  await requestManualReview(ctx, payout, attempt, 'never received, and too late or too often to send again');
  await ctx.em.flush();
  return null;
};
