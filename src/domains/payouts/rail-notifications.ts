import type { AttemptOutcome, FailureCode, PayoutStatus, RailStatus } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../platform/database/sql.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import type { RailNotification } from './rails/rail.ts';

/** What a notification is about. */
export interface NotifiedAttempt {
  id: string;
  payoutId: string;
  outcome: AttemptOutcome;
  acceptedAt: string | null;
  status: PayoutStatus;
  failureCode: FailureCode | null;
}

/** Without a lock. `attempt` is null while no attempt has the notification's key. */
export const findNotified = async (
  ctx: Context,
  rail: Rail,
  { externalId, idempotencyKey }: RailNotification,
): Promise<{ isStored: boolean; attempt: NotifiedAttempt | null }> => {
  const found = await firstRow(
    ctx.em,
    sql<NotifiedAttempt & { isStored: boolean }>`select a.id, a.payout_id as "payoutId", a.outcome, a.accepted_at as "acceptedAt",
        p.status, p.failure_code as "failureCode",
        exists (select 1 from rail_notification where rail = ${rail} and external_id = ${externalId}) as "isStored"
      from (select 1) as one left join payout_attempt a on a.idempotency_key = ${idempotencyKey} and a.rail = ${rail}
        left join payout p on p.id = a.payout_id`,
  );
  return { isStored: found?.isStored ?? false, attempt: found?.id ? found : null };
};

type Effect = 'applied' | 'stale';

/** Returns the id of the stored notification, or null when it was stored before. Without an attempt it is unmatched. */
export const insertNotification = async (
  ctx: Context,
  input: {
    rail: Rail;
    attempt: Pick<NotifiedAttempt, 'id' | 'payoutId'> | null;
    notification: RailNotification;
    effect?: Effect;
  },
): Promise<string | null> => {
  const { rail, attempt, notification, effect = null } = input;
  const id = ctx.ids.next();
  const now = ctx.clock.now().toISOString();
  const inserted = await execute(
    ctx.em,
    sql`insert into rail_notification
      (id, rail, external_id, attempt_id, payout_id, idempotency_key, status, rail_reference, failure_code, occurred_at, received_at,
       handled_at, effect) values
      (${id}::uuid, ${rail}, ${notification.externalId}, ${attempt?.id ?? null}::uuid, ${attempt?.payoutId ?? null}::uuid,
       ${notification.idempotencyKey}, ${notification.status},
       ${notification.railReference}, ${notification.failureCode}, ${notification.occurredAt.toISOString()}::timestamptz,
       ${now}::timestamptz, ${effect && now}::timestamptz, ${effect})
      on conflict (rail, external_id) do nothing`,
  );
  return inserted === 0 ? null : id;
};

interface MatchedNotification {
  id: string;
  status: RailStatus;
  railReference: string | null;
  failureCode: string | null;
}

/**
 * Assigns notifications that arrived before the attempt existed here, as after restoring a backup, and returns them by time
 * of occurrence. The caller applies them in the same transaction.
 */
export const matchNotifications = (
  ctx: Context,
  { id, payoutId, idempotencyKey, rail }: PayoutAttempt,
): Promise<MatchedNotification[]> =>
  rows(
    ctx.em,
    sql<MatchedNotification>`with matched as (
        update rail_notification set attempt_id = ${id}::uuid, payout_id = ${payoutId}::uuid,
          handled_at = ${ctx.clock.now().toISOString()}::timestamptz, effect = 'applied'
        where attempt_id is null and idempotency_key = ${idempotencyKey} and rail = ${rail}
        returning id, status, rail_reference, failure_code, occurred_at)
      select id, status, rail_reference as "railReference", failure_code as "failureCode" from matched order by occurred_at, id`,
  );

/** How many stored notifications are about transfers that no attempt knows: money that somebody else sent, or lost rows. */
export const countUnmatchedNotifications = async (ctx: Context): Promise<number> =>
  (await firstRow(ctx.em, sql<{ count: number }>`select count(*)::int as count from rail_notification where attempt_id is null`))
    ?.count ?? 0;

/** Of a notification that changed nothing although it was stored as applied. */
export const markStale = (ctx: Context, notificationId: string): Promise<number> =>
  execute(ctx.em, sql`update rail_notification set effect = 'stale' where id = ${notificationId}::uuid`);
