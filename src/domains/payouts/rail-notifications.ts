import type { RailStatus } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';
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

/** Returns the id of the stored notification, or null when it was stored before. */
export const insertNotification = async (
  ctx: Context,
  input: { rail: Rail; attempt: PayoutAttempt; notification: RailNotification },
): Promise<string | null> => {
  const { rail, attempt, notification } = input;
  const id = ctx.ids.next();
  const inserted = await execute(
    ctx.em,
    sql`insert into rail_notification
      (id, rail, external_id, attempt_id, payout_id, status, rail_reference, failure_code, occurred_at, received_at) values
      (${id}::uuid, ${rail}, ${notification.externalId}, ${attempt.id}::uuid, ${attempt.payoutId}::uuid, ${notification.status},
       ${notification.railReference}, ${notification.failureCode}, ${notification.occurredAt.toISOString()}::timestamptz,
       ${ctx.clock.now().toISOString()}::timestamptz)
      on conflict (rail, external_id) do nothing`,
  );
  return inserted === 0 ? null : id;
};

/** `stale`: it changed nothing. */
export const closeNotification = (ctx: Context, notificationId: string, effect: 'applied' | 'stale'): Promise<number> =>
  execute(
    ctx.em,
    sql`update rail_notification set handled_at = ${ctx.clock.now().toISOString()}::timestamptz, effect = ${effect}
      where id = ${notificationId}::uuid`,
  );
