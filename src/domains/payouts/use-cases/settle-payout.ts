import type { RailFact } from '../../../contracts/payouts.ts';
import type { PayoutSnapshot } from '../../../contracts/workflows.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, rows, sql } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout, newestAttempt, snapshotOf } from '../payout-state.queries.ts';
import type { NeverReceived, PayoutRail, RailAnswer, TransferOrder } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import { note } from '../timeline.ts';
import { askPerson, learnAnswer, learnFact } from './learn-fact.ts';
import { prepareSend, sendMarked } from './send-attempt.ts';
import type { StepInput } from './start-attempt.ts';

/** Takes in the notices that wait and, with `ask`, asks the rail about an attempt that is still open. */
export const settlePayout = async (ctx: Context, rails: Rails, input: StepInput & { ask: boolean }): Promise<PayoutSnapshot> => {
  const open = await takeNotices(ctx, input);
  const rail = open && rails.find(open.rail);
  if (input.ask && open && rail && !rail.byHand) await ask(ctx, rail, open.key, input);
  return snapshotOf(ctx, input.payoutId);
};

interface NoticeRow {
  id: string;
  attempt_id: string;
  fact: RailFact;
  rail_reference: string | null;
  failure_code: string | null;
}

const MOST_NOTICES = 100;

/** In the order of occurrence. Returns the attempt that is still open afterwards. */
const takeNotices = (ctx: Context, input: StepInput): Promise<{ rail: PayoutAttempt['rail']; key: string } | null> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await lockPayout(ctx, input.payoutId);
    if (!payout) throw notFound('Payout');
    const waiting = await rows(
      ctx.em,
      sql<NoticeRow>`select id, attempt_id, fact, rail_reference, failure_code from rail_notice
        where payout_id = ${payout.id}::uuid and handled_at is null order by occurred_at, id limit ${MOST_NOTICES}`,
    );
    for (const notice of waiting) {
      const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { id: notice.attempt_id });
      const told = { fact: notice.fact, railReference: notice.rail_reference, failureCode: notice.failure_code };
      const applied = await learnFact(ctx, payout, attempt, told);
      await ctx.em.flush();
      await closeNotice(ctx, notice.id, applied ? 'applied' : 'stale');
    }
    const attempt = await newestAttempt(ctx, payout.id);
    return attempt?.isOpen() && !payout.isFinal() ? { rail: attempt.rail, key: attempt.idempotencyKey } : null;
  });

export const closeNotice = (ctx: Context, noticeId: string, effect: 'applied' | 'stale' | 'repeated'): Promise<number> =>
  execute(
    ctx.em,
    sql`update rail_notice set handled_at = ${ctx.clock.now().toISOString()}::timestamptz, effect = ${effect} where id = ${noticeId}::uuid`,
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
  answer: RailAnswer | NeverReceived,
): Promise<TransferOrder | null> => {
  const payout = await lockPayout(ctx, payoutId);
  const attempt = await ctx.em.findOneOrFail(PayoutAttempt, { idempotencyKey: key }, { refresh: true });
  if (!payout || payout.isFinal() || !attempt.isOpen()) return null;
  const railReference = answer.outcome === 'never_received' ? null : answer.railReference;
  const reason = answer.outcome === 'never_received' ? null : (answer.problem ?? answer.failureCode);
  await note(ctx, payout, { what: `asked ${rail.name}: ${answer.outcome}`, attempt: attempt.n, railReference, reason });
  if (answer.outcome !== 'never_received') {
    await learnAnswer(ctx, payout, attempt, answer);
    await ctx.em.flush();
    return null;
  }
  // An order that was accepted and is gone now is no case for sending it again.
  const mayRepeat = attempt.outcome === 'unknown' && attempt.mayBeSentAgain(ctx.clock.now(), rail.repeatWindowMs);
  if (mayRepeat) return prepareSend(ctx, payout, attempt);
  await askPerson(ctx, payout, attempt, 'never received, and too late or too often to send again');
  await ctx.em.flush();
  return null;
};
