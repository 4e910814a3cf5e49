import { RAILS } from '../../../contracts/payouts.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { applyRailStatus } from '../apply-rail-status.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout } from '../payout-state.queries.ts';
import { signalPayoutWorkflow, startReturnWorkflow } from '../payout-workflow.ts';
import type { RailNotification } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import { closeNotification } from './settle-payout.ts';

export interface RailNotificationInput {
  rail: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody: Buffer;
}

interface NotificationResult extends Record<string, unknown> {
  outcome: 'recorded' | 'repeated' | 'unknown_transfer' | 'ignored';
}

/** Keeps a rail's notification and wakes whoever has to act on it. Once per notification id, however often it comes. */
export const receiveRailNotification = async (
  ctx: Context,
  rails: Rails,
  input: RailNotificationInput,
): Promise<NotificationResult> => {
  const name = RAILS.find((known) => known === input.rail);
  const rail = name && rails.find(name);
  if (!rail || rail.byHand) throw notFound('Rail');
  const notification = rail.verifyNotification(input.headers, input.rawBody);
  return notification ? keep(ctx, rail.name, notification) : { outcome: 'ignored' };
};

const keep = (ctx: Context, rail: string, notification: RailNotification): Promise<NotificationResult> =>
  inTransaction(ctx, async (ctx) => {
    const attempt = await ctx.em.findOne(PayoutAttempt, { idempotencyKey: notification.idempotencyKey });
    const payout = attempt && (await lockPayout(ctx, attempt.payoutId));
    if (!attempt || !payout) {
      ctx.log.warn({ rail }, 'a rail told of a transfer that is not ours');
      return { outcome: 'unknown_transfer' };
    }
    await ctx.em.refresh(attempt);
    const id = ctx.ids.next();
    const kept = await execute(
      ctx.em,
      sql`insert into rail_notification
        (id, rail, external_id, attempt_id, payout_id, status, rail_reference, failure_code, occurred_at, received_at) values
        (${id}::uuid, ${rail}, ${notification.externalId}, ${attempt.id}::uuid, ${payout.id}::uuid, ${notification.status}, ${notification.railReference},
         ${notification.failureCode}, ${notification.occurredAt.toISOString()}::timestamptz, ${ctx.clock.now().toISOString()}::timestamptz)
        on conflict (rail, external_id) do nothing`,
    );
    if (kept === 0) return { outcome: 'repeated' };
    if (!payout.isFinal() && notification.status !== 'accepted') {
      await signalPayoutWorkflow(ctx, payout);
    } else if (notification.status === 'returned' && attempt.outcome === 'paid') {
      await startReturnWorkflow(ctx, payout, attempt.id);
      await closeNotification(ctx, id, 'applied');
    } else {
      // "Accepted" changes nothing for the story; after its end a notification is old news, or a case for a person.
      const applied = await applyRailStatus(ctx, payout, attempt, notification);
      await ctx.em.flush();
      await closeNotification(ctx, id, applied ? 'applied' : 'stale');
    }
    return { outcome: 'recorded' };
  });
