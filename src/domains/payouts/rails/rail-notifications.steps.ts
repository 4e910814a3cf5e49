import type { AttemptOutcome, FailureCode, PayoutStatus, RailStatus } from '../../../contracts/payouts.ts';
import type { Rail } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';

import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import type { ProviderFee, References, TransferRecord } from './answer.ts';
import type { RailNotification } from './rail.ts';

/** What a notification is about. */
export interface NotifiedAttempt {
  id: string;
  payoutId: string;
  outcome: AttemptOutcome;
  acceptedAt: string | null;
  status: PayoutStatus;
  failureCode: FailureCode | null;
  fee: number | null;
  feeReturned: number;
  otherFees: readonly ProviderFee[] | null;
  currency: string;
  railState: string | null;
}

/** Where a notification came from. `merchantId` is null where the account is that of the installation. */
export interface NoticeSource {
  rail: Rail;
  merchantId: string | null;
}

/** Providers number the notices of each account on their own. */
const storedIdOf = ({ merchantId }: NoticeSource, { externalId }: RailNotification): string =>
  merchantId === null ? externalId : `${merchantId} ${externalId}`;

/** Takes no lock. `attempt` is null while no attempt has the notification's key. */
export const findNotified = async (
  ctx: Context,
  source: NoticeSource,
  notification: RailNotification,
): Promise<{ isStored: boolean; attempt: NotifiedAttempt | null }> => {
  const { rail, merchantId } = source;
  const { idempotencyKey } = notification;
  const externalId = storedIdOf(source, notification);
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom(sql`(select)`.as('one'))
      .leftJoin('payout_attempt as a', (join) => join.on('a.idempotencyKey', '=', idempotencyKey).on('a.rail', '=', rail))
      .leftJoin('payout as p', 'p.id', 'a.payoutId')
      .select(['a.id', 'a.payoutId', 'a.outcome', 'a.acceptedAt', 'p.status', 'p.failureCode', 'p.currency'])
      .select(['a.fee', 'a.feeReturned', 'a.otherFees', 'a.railState', 'p.merchantId'])
      .select(({ exists, selectFrom }) =>
        exists(selectFrom('rail_notification').select('id').where('rail', '=', rail).where('externalId', '=', externalId)).as(
          'isStored',
        ),
      )
      .$castTo<NotifiedAttempt & { isStored: boolean; merchantId: string }>(),
  );
  // A merchant's account says nothing about payouts of others.
  const isOurs = found?.id && (merchantId === null || merchantId === found.merchantId);
  return { isStored: found?.isStored ?? false, attempt: isOurs ? found : null };
};

type Effect = 'applied' | 'stale';

/** Returns the id of the stored notification, or null when it was stored before. Without an attempt it is unmatched. */
export const insertNotification = async (
  ctx: Context,
  input: {
    source: NoticeSource;
    attempt: Pick<NotifiedAttempt, 'id' | 'payoutId'> | null;
    notification: RailNotification;
    effect?: Effect;
  },
): Promise<string | null> => {
  const { source, attempt, notification, effect = null } = input;
  const id = ctx.ids.next();
  const now = ctx.clock.now().toISOString();
  const row = {
    id,
    rail: source.rail,
    externalId: storedIdOf(source, notification),
    merchantId: source.merchantId,
    attemptId: attempt?.id ?? null,
    payoutId: attempt?.payoutId ?? null,
    idempotencyKey: notification.idempotencyKey,
    status: notification.status,
    isHint: notification.isHint ?? false,
    state: notification.state ?? null,
    railReference: notification.railReference,
    railReferences: notification.references ? json(notification.references) : null,
    failureCode: notification.failureCode,
    record: notification.record && json(notification.record),
    occurredAt: notification.occurredAt.toISOString(),
    receivedAt: now,
    handledAt: effect && now,
    effect,
  };
  const inserted = await execute(
    ctx.em,
    db
      .insertInto('rail_notification')
      .values(row)
      .onConflict((conflict) => conflict.columns(['rail', 'externalId']).doNothing()),
  );
  return inserted === 0 ? null : id;
};

export interface MatchedNotification {
  id: string;
  status: RailStatus | null;
  isHint: boolean;
  state: string | null;
  railReference: string | null;
  railReferences: References | null;
  failureCode: string | null;
  record: TransferRecord | null;
  occurredAt: string;
}

const MATCHED = ['id', 'status', 'isHint', 'state', 'railReference', 'railReferences', 'failureCode', 'record'] as const;

/**
 * Assigns notifications that arrived before the attempt existed here, as after restoring a backup, and returns them by time
 * of occurrence. The caller applies them in the same transaction.
 */
export const matchNotifications = (
  ctx: Context,
  { id, payoutId, idempotencyKey, rail }: PayoutAttempt,
  merchantId: string,
): Promise<MatchedNotification[]> =>
  rows(
    ctx.em,
    db
      .with('matched', (cte) =>
        cte
          .updateTable('rail_notification')
          .set({ attemptId: id, payoutId, handledAt: ctx.clock.now().toISOString(), effect: 'applied' })
          .where('attemptId', 'is', null)
          .where('idempotencyKey', '=', idempotencyKey)
          .where('rail', '=', rail)
          .where(({ eb, or }) => or([eb('merchantId', 'is', null), eb('merchantId', '=', merchantId)]))
          .returning([...MATCHED, 'occurredAt']),
      )
      .selectFrom('matched')
      .select([...MATCHED, 'occurredAt'])
      .$castTo<MatchedNotification>()
      .orderBy('occurredAt')
      .orderBy('id'),
  );

/** How many stored notifications are about transfers that no attempt knows: money that somebody else sent, or lost rows. */
export const countUnmatchedNotifications = async (ctx: Context): Promise<number> =>
  (
    await firstRow(
      ctx.em,
      db
        .selectFrom('rail_notification')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('attemptId', 'is', null),
    )
  )?.count ?? 0;

/** Marks a notification that changed nothing although it was stored as applied. */
export const markStale = (ctx: Context, notificationId: string): Promise<number> =>
  execute(ctx.em, db.updateTable('rail_notification').set({ effect: 'stale' }).where('id', '=', notificationId));
