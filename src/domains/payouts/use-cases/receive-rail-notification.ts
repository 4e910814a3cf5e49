import { isConfirmedBy, RAIL_NAMES } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { concernsWorkflow } from '../machine/apply.ts';
import { hearNotice, mayChange } from '../machine/hear.ts';
import { lockState } from '../machine/load.ts';
import { signalPayoutWorkflow } from '../payout-workflow.steps.ts';
import type { OnlineRail, PayeeNotice, RailNotification, UnreadNotice } from '../rails/rail.ts';
import {
  findNotified,
  insertNotification,
  markStale,
  type NoticeSource,
  type NotifiedAttempt,
} from '../rails/rail-notifications.steps.ts';
import type { Rails } from '../rails/rails.ts';

export interface NoticeRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody: Buffer;
}

export interface RailNotificationInput extends NoticeRequest {
  rail: string;
}

type Outcome = 'recorded' | 'repeated' | 'unknown_transfer';
export type NoticeOutcome = Outcome | 'ignored';

/**
 * Stores and applies each notification of a request once, however often it is received. The
 * outcome is `recorded` when at least one is new, and `ignored` when there are none of a known type, or none that are ours.
 */
export const receiveRailNotification = async (
  ctx: Context,
  rails: Rails,
  { rail: given, headers, rawBody }: RailNotificationInput,
): Promise<{ outcome: NoticeOutcome }> => {
  const name = RAIL_NAMES.find((known) => known === given && isConfirmedBy(known, 'notice'));
  const rail = name && rails.find(name);
  if (!rail) throw notFound('Rail');
  const notices = noticesOf(await rail.readNotice(headers, rawBody));
  return recordNotifications(ctx, { rail, merchantId: null }, notices);
};

/** None for what is authentic and not about payouts from here: the provider must not repeat it. */
export const noticesOf = (read: RailNotification[] | PayeeNotice | UnreadNotice): RailNotification[] => {
  if ('payee' in read) return [];
  if (!('unread' in read)) return read;
  if (read.unread === 'foreign') return [];
  throw new AppError(UNREAD_CODES[read.unread], read.why);
};

/** Providers repeat what a server could not take. */
const UNREAD_CODES = { rejected: 'UNAUTHORIZED', try_later: 'UNAVAILABLE', unreadable: 'BAD_REQUEST' } as const;

/** What of an account a rail has read notices. `merchantId` is null where it is that of the installation. */
interface Reader {
  rail: OnlineRail;
  merchantId: string | null;
}

export const recordNotifications = async (
  ctx: Context,
  { rail, merchantId }: Reader,
  notifications: readonly RailNotification[],
): Promise<{ outcome: NoticeOutcome }> => {
  const outcomes: Outcome[] = [];
  for (const notification of notifications) {
    outcomes.push(await recordNotification(ctx, { rail: rail.name, merchantId }, notification));
  }
  return { outcome: outcomes.find((outcome) => outcome === 'recorded') ?? outcomes[0] ?? 'ignored' };
};

const recordNotification = async (ctx: Context, source: NoticeSource, notification: RailNotification): Promise<Outcome> => {
  const { isStored, attempt } = await findNotified(ctx, source, notification);
  if (isStored) return 'repeated';
  if (!attempt) ctx.log.warn({ rail: source.rail }, 'rail notification for an unknown transfer');
  // Nothing to change, so nothing to lock: the notification is as good as one that came before any later change.
  if (attempt && mayChange(attempt, notification, source.rail)) return applyInTransaction(ctx, { source, attempt, notification });
  const effect = attempt ? { effect: 'stale' as const } : {};
  const id = await insertNotification(ctx, { source, attempt, notification, ...effect });
  if (id === null) return 'repeated';
  return attempt ? 'recorded' : 'unknown_transfer';
};

interface Applicable {
  source: NoticeSource;
  attempt: NotifiedAttempt;
  notification: RailNotification;
}

const applyInTransaction = async (ctx: Context, applicable: Applicable): Promise<Outcome> => {
  const outcome = await inTransaction(ctx, (ctx) => storeAndApply(ctx, applicable));
  faultPoint('api:after-notification-commit');
  return outcome;
};

/** Sends the workflow what became of the payout, in the same transaction. The notification of a lost commit is repeated. */
const storeAndApply = async (ctx: Context, { source, attempt, notification }: Applicable): Promise<Outcome> => {
  const locked = await lockState(ctx, attempt.payoutId);
  const { payout, state: before } = locked;
  const stored = await insertNotification(ctx, { source, attempt, notification, effect: 'applied' });
  if (stored === null) return 'repeated';
  const isApplied = await hearNotice(ctx, locked, notification);
  if (!isApplied) await markStale(ctx, stored);
  if (concernsWorkflow(before, locked.state)) await signalPayoutWorkflow(ctx, payout);
  faultPoint('api:before-notification-commit');
  return 'recorded';
};
