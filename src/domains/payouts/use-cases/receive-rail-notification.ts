import { RAIL_NAMES } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { applyRailStatus } from '../apply-rail-status.ts';
import { PayoutAttempt } from '../payout-attempt.entity.ts';
import { lockPayout } from '../payout-state.queries.ts';
import { signalPayoutWorkflow } from '../payout-workflow.ts';
import { closeNotification, insertNotification } from '../rail-notifications.ts';
import type { PayoutRail, RailNotification } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';

export interface RailNotificationInput {
  rail: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  rawBody: Buffer;
}

type Outcome = 'recorded' | 'repeated' | 'unknown_transfer';

/**
 * Stores each notification of a request once, however often it is received, and wakes the workflow that applies it. The
 * outcome is `recorded` when at least one is new, and `ignored` when there are none of a known type.
 */
export const receiveRailNotification = async (
  ctx: Context,
  rails: Rails,
  input: RailNotificationInput,
): Promise<{ outcome: Outcome | 'ignored' }> => {
  const name = RAIL_NAMES.find((known) => known === input.rail);
  const rail = name && rails.find(name);
  if (!rail) throw notFound('Rail');
  const outcomes: Outcome[] = [];
  for (const notification of await rail.verifyNotification(input.headers, input.rawBody)) {
    outcomes.push(await recordNotification(ctx, rail, notification));
  }
  return { outcome: outcomes.find((outcome) => outcome === 'recorded') ?? outcomes[0] ?? 'ignored' };
};

const recordNotification = (ctx: Context, rail: PayoutRail, notification: RailNotification): Promise<Outcome> =>
  inTransaction(ctx, async (ctx) => {
    const attempt = await ctx.em.findOne(PayoutAttempt, {
      idempotencyKey: notification.idempotencyKey,
      rail: rail.name,
    });
    if (!attempt) {
      ctx.log.warn({ rail: rail.name }, 'rail notification for an unknown transfer');
      const id = await insertNotification(ctx, { rail: rail.name, attempt, notification });
      return id === null ? 'repeated' : 'unknown_transfer';
    }
    const payout = await lockPayout(ctx, attempt.payoutId);
    await ctx.em.refresh(attempt);
    const id = await insertNotification(ctx, { rail: rail.name, attempt, notification });
    if (id === null) return 'repeated';
    if (!payout.isFinal() && notification.status !== 'accepted') {
      await signalPayoutWorkflow(ctx, payout);
    } else {
      // The workflow does not wait for "accepted", and may have ended: what remains is a return or a contradiction.
      const applied = await applyRailStatus(ctx, payout, attempt, notification);
      await ctx.em.flush();
      await closeNotification(ctx, id, applied ? 'applied' : 'stale');
    }
    return 'recorded';
  });
