import { isConfirmedBy, RAIL_NAMES } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { concernsWorkflow } from '../machine/apply.ts';
import { hearNotice, mayChange } from '../machine/hear.ts';
import { lockState } from '../machine/load.ts';
import { signalPayoutWorkflow } from '../payout-workflow.steps.ts';
import type { OnlineRail, RailNotification } from '../rails/rail.ts';
import { findNotified, insertNotification, markStale, type NotifiedAttempt } from '../rails/rail-notifications.steps.ts';
import type { Rails } from '../rails/rails.ts';

export interface RailNotificationInput {
  rail: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody: Buffer;
}

type Outcome = 'recorded' | 'repeated' | 'unknown_transfer';

/**
 * Stores and applies each notification of a request once, however often it is received. The
 * outcome is `recorded` when at least one is new, and `ignored` when there are none of a known type, or none that are ours.
 */
export const receiveRailNotification = async (
  ctx: Context,
  rails: Rails,
  input: RailNotificationInput,
): Promise<{ outcome: Outcome | 'ignored' }> => {
  const name = RAIL_NAMES.find((known) => known === input.rail && isConfirmedBy(known, 'notice'));
  const rail = name && rails.find(name);
  if (!rail) throw notFound('Rail');
  const outcomes: Outcome[] = [];
  for (const notification of await readNotice(rail, input)) {
    outcomes.push(await recordNotification(ctx, rail, notification));
  }
  return { outcome: outcomes.find((outcome) => outcome === 'recorded') ?? outcomes[0] ?? 'ignored' };
};

/** None for what is authentic and not about payouts from here: the provider must not repeat it. */
const readNotice = async (rail: OnlineRail, { headers, rawBody }: RailNotificationInput): Promise<RailNotification[]> => {
  const read = await rail.readNotice(headers, rawBody);
  if ('payee' in read) return [];
  if (!('unread' in read)) return read;
  if (read.unread === 'foreign') return [];
  throw new AppError(UNREAD_CODES[read.unread], read.why);
};

/** Providers repeat what a server could not take. */
const UNREAD_CODES = { rejected: 'UNAUTHORIZED', try_later: 'INTERNAL_ERROR', unreadable: 'BAD_REQUEST' } as const;

const recordNotification = async (ctx: Context, rail: OnlineRail, notification: RailNotification): Promise<Outcome> => {
  const { isStored, attempt } = await findNotified(ctx, rail.name, notification);
  if (isStored) return 'repeated';
  if (!attempt) ctx.log.warn({ rail: rail.name }, 'rail notification for an unknown transfer');
  // Nothing to change, so nothing to lock: the notification is as good as one that came before any later change.
  if (attempt && mayChange(attempt, notification, rail.name)) return applyInTransaction(ctx, { rail, attempt, notification });
  const effect = attempt ? { effect: 'stale' as const } : {};
  const id = await insertNotification(ctx, { rail: rail.name, attempt, notification, ...effect });
  if (id === null) return 'repeated';
  return attempt ? 'recorded' : 'unknown_transfer';
};

interface Applicable {
  rail: OnlineRail;
  attempt: NotifiedAttempt;
  notification: RailNotification;
}

const applyInTransaction = async (ctx: Context, applicable: Applicable): Promise<Outcome> => {
  const outcome = await inTransaction(ctx, (ctx) => storeAndApply(ctx, applicable));
  faultPoint('api:after-notification-commit');
  return outcome;
};

/** Sends the workflow what became of the payout, in the same transaction. The notification of a lost commit is repeated. */
const storeAndApply = async (ctx: Context, { rail, attempt, notification }: Applicable): Promise<Outcome> => {
  const locked = await lockState(ctx, attempt.payoutId);
  const { payout, state: before } = locked;
  const stored = await insertNotification(ctx, { rail: rail.name, attempt, notification, effect: 'applied' });
  if (stored === null) return 'repeated';
  const isApplied = await hearNotice(ctx, locked, notification);
  if (!isApplied) await markStale(ctx, stored);
  if (concernsWorkflow(before, locked.state)) await signalPayoutWorkflow(ctx, payout);
  faultPoint('api:before-notification-commit');
  return 'recorded';
};
