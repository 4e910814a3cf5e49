import { LockMode } from '@mikro-orm/core';
import type { ReplayCancelReason, ReplayProgress } from '../../../contracts/webhooks.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { queueReplayedEvents } from '../queue-replayed-events.ts';
import { WebhookReplay } from '../webhook-replay.entity.ts';
import { findReplayTarget, type ReplayTarget } from '../webhook-replays.queries.ts';

export interface ReplayNextEventsInput {
  replayId: string;
  /** Events that are examined at most. */
  limit: number;
}

/** Pause before the next look at transactions that were open when the replay was requested. Few last longer. */
const RECHECK_MS = SECOND_MS;

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
    const { replayId, limit } = input;
    const replay = await ctx.em.findOneOrFail(
      WebhookReplay,
      { id: replayId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (replay.state !== 'running') return replay.progress();
    const now = ctx.clock.now();
    const target = await findReplayTarget(ctx, replay);
    const reason = reasonToEnd(target);
    if (!target || reason !== null) {
      replay.cancel(reason ?? 'endpoint_deleted', now);
      return replay.progress();
    }
    if (!target.isSettled) return replay.progress(RECHECK_MS);
    const page = await queueReplayedEvents(ctx, replay, { target, limit });
    replay.advance(page, now);
    if (page.isLast) replay.complete(now);
    return replay.progress();
  });
