import type { RailStatus } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../platform/database/sql.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import type { RailNotification } from './rails/rail.ts';

export interface PendingNotification {
  id: string;
  attemptId: string;
  status: RailStatus;
  railReference: string | null;
  failureCode: string | null;
}

const MAX_NOTIFICATIONS = 100;

/** The oldest notifications that were not applied yet, by time of occurrence. */
export const listPendingNotifications = (ctx: Context, payoutId: string): Promise<PendingNotification[]> =>
  rows(
    ctx.em,
    sql<PendingNotification>`select id, attempt_id as "attemptId", status, rail_reference as "railReference",
        failure_code as "failureCode"
      from rail_notification where payout_id = ${payoutId}::uuid and handled_at is null
      order by occurred_at, id limit ${MAX_NOTIFICATIONS}`,
  );

/** Returns the id of the stored notification, or null when it was stored before. Without an attempt it is unmatched. */
export const insertNotification = async (
  ctx: Context,
  input: { rail: Rail; attempt: PayoutAttempt | null; notification: RailNotification },
): Promise<string | null> => {
  const { rail, attempt, notification } = input;
  const id = ctx.ids.next();
  const inserted = await execute(
    ctx.em,
    sql`insert into rail_notification
      (id, rail, external_id, attempt_id, payout_id, idempotency_key, status, rail_reference, failure_code, occurred_at, received_at) values
      (${id}::uuid, ${rail}, ${notification.externalId}, ${attempt?.id ?? null}::uuid, ${attempt?.payoutId ?? null}::uuid,
       ${notification.idempotencyKey}, ${notification.status},
       ${notification.railReference}, ${notification.failureCode}, ${notification.occurredAt.toISOString()}::timestamptz,
       ${ctx.clock.now().toISOString()}::timestamptz)
      on conflict (rail, external_id) do nothing`,
  );
  return inserted === 0 ? null : id;
};

/** Assigns notifications that arrived before the attempts of this payout existed here, as after restoring a backup. */
export const matchNotifications = (ctx: Context, payoutId: string): Promise<number> =>
  execute(
    ctx.em,
    sql`update rail_notification n set attempt_id = a.id, payout_id = a.payout_id from payout_attempt a
      where a.payout_id = ${payoutId}::uuid and n.attempt_id is null and n.idempotency_key = a.idempotency_key and n.rail = a.rail`,
  );

/** How many stored notifications are about transfers that no attempt knows: money that somebody else sent, or lost rows. */
export const countUnmatchedNotifications = async (ctx: Context): Promise<number> =>
  (await firstRow(ctx.em, sql<{ count: number }>`select count(*)::int as count from rail_notification where attempt_id is null`))
    ?.count ?? 0;

/** `stale`: it changed nothing. */
export const closeNotification = (ctx: Context, notificationId: string, effect: 'applied' | 'stale'): Promise<number> =>
  execute(
    ctx.em,
    sql`update rail_notification set handled_at = ${ctx.clock.now().toISOString()}::timestamptz, effect = ${effect}
      where id = ${notificationId}::uuid`,
  );
