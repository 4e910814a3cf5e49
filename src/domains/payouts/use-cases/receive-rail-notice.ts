import { RAILS } from '../../../contracts/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout } from '../payout-state.queries.ts';
import { startReturn, wakeStory } from '../payout-wake.ts';
import type { RailNotice } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import { learnFact } from './learn-fact.ts';
import { closeNotice } from './settle-payout.ts';

export interface RailNoticeInput {
  rail: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody: Buffer;
}

interface NoticeAnswer extends Record<string, unknown> {
  outcome: 'recorded' | 'repeated' | 'unknown_transfer' | 'ignored';
}

/** Keeps a rail's notice and wakes whoever has to act on it. Once per notice id, however often it comes. */
export const receiveRailNotice = async (ctx: Context, rails: Rails, input: RailNoticeInput): Promise<NoticeAnswer> => {
  const name = RAILS.find((known) => known === input.rail);
  const rail = name && rails.find(name);
  if (!rail || rail.byHand) throw notFound('Rail');
  const notice = rail.verifyNotice(input.headers, input.rawBody);
  return notice ? keep(ctx, rail.name, notice) : { outcome: 'ignored' };
};

const keep = (ctx: Context, rail: string, notice: RailNotice): Promise<NoticeAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const attempt = await ctx.em.findOne(PayoutAttempt, { idempotencyKey: notice.idempotencyKey });
    const payout = attempt && (await lockPayout(ctx, attempt.payoutId));
    if (!attempt || !payout) {
      ctx.log.warn({ rail }, 'a rail told of a transfer that is not ours');
      return { outcome: 'unknown_transfer' };
    }
    await ctx.em.refresh(attempt);
    const id = ctx.ids.next();
    const kept = await execute(
      ctx.em,
      sql`insert into rail_notice
        (id, rail, external_id, attempt_id, payout_id, fact, rail_reference, failure_code, occurred_at, received_at) values
        (${id}::uuid, ${rail}, ${notice.externalId}, ${attempt.id}::uuid, ${payout.id}::uuid, ${notice.fact}, ${notice.railReference},
         ${notice.failureCode}, ${notice.occurredAt.toISOString()}::timestamptz, ${ctx.clock.now().toISOString()}::timestamptz)
        on conflict (rail, external_id) do nothing`,
    );
    if (kept === 0) return { outcome: 'repeated' };
    if (!payout.isFinal() && notice.fact !== 'accepted') {
      await wakeStory(ctx, payout);
    } else if (notice.fact === 'returned' && attempt.outcome === 'paid') {
      await startReturn(ctx, payout, attempt.id);
      await closeNotice(ctx, id, 'applied');
    } else {
      // "Accepted" changes nothing for the story; after its end a notice is old news, or a case for a person.
      const applied = await learnFact(ctx, payout, attempt, notice);
      await ctx.em.flush();
      await closeNotice(ctx, id, applied ? 'applied' : 'stale');
    }
    return { outcome: 'recorded' };
  });
