import { LockMode } from '@mikro-orm/core';
import type { ReplayCancelReason, ReplayProgress } from '../../../contracts/webhooks.ts';
import { after } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { queueReplayedEvents } from '../queue-replayed-events.ts';
import { WebhookReplay } from '../webhook-replay.entity.ts';
import { findReplayTarget, type ReplayTarget } from '../webhook-replays.queries.ts';

export interface ReplayNextEventsInput {
  replayId: string;
  /** Events that are examined at most. */
  limit: number;
  /** How long a transaction may take to commit an event: younger ones are examined later, so that none is passed over. */
  settleMs: number;
}

const reasonToEnd = (target: ReplayTarget | null): ReplayCancelReason | null => {
  if (!target || target.isDeleted) return 'endpoint_deleted';
  return target.isDisabled ? 'endpoint_disabled' : null;
};

/**
 * The next batch of a replay. Its deliveries and the position of the replay are committed together, so that a crash neither
 * repeats nor skips an event. A replay that has ended stays as it is.
 */
export const replayNextEvents = (ctx: Context, input: ReplayNextEventsInput): Promise<ReplayProgress> =>
  inTransaction(ctx, async (ctx) => {
    const { replayId, limit, settleMs } = input;
    const replay = await ctx.em.findOneOrFail(
      WebhookReplay,
      { id: replayId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (replay.state !== 'running') return replay.progress();
    const now = ctx.clock.now();
    const target = await findReplayTarget(ctx, replay.endpointId);
    const reason = reasonToEnd(target);
    if (!target || reason !== null) {
      replay.cancel(reason ?? 'endpoint_deleted', now);
      return replay.progress();
    }
    const settled = after(now, -settleMs);
    const until = new Date(Math.min(settled.getTime(), replay.until.getTime()));
    const page = await queueReplayedEvents(ctx, replay, { target, until, limit });
    replay.advance(page, now);
    if (page.examined === limit) return replay.progress();
    if (settled >= replay.until) replay.complete(now);
    return replay.progress(Math.max(0, replay.until.getTime() - settled.getTime()));
  });
