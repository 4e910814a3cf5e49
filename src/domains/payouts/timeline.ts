import type { PayoutStatus } from '../../contracts/payouts.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import type { Payout } from './payout.entity.ts';

export interface TimelineEntry {
  what: string;
  from?: PayoutStatus;
  to?: PayoutStatus;
  attempt?: number;
  railReference?: string | null;
  reason?: string | null;
}

/** Writes one line of a payout's story, for ever: workflow history is the live view, this is the archive. */
export const addTimelineEntry = async (ctx: Context, payout: Pick<Payout, 'id'>, entry: TimelineEntry): Promise<void> => {
  const run = ctx.actor.kind === 'system' ? ctx.actor.run : undefined;
  await execute(
    ctx.em,
    sql`insert into payout_timeline
      (id, payout_id, at, what, actor, from_status, to_status, attempt, rail_reference, reason, workflow_id, run_id) values
      (${ctx.ids.next()}::uuid, ${payout.id}::uuid, ${ctx.clock.now().toISOString()}::timestamptz, ${entry.what},
       ${actorName(ctx.actor)}, ${entry.from ?? null}, ${entry.to ?? null}, ${entry.attempt ?? null}::int,
       ${entry.railReference ?? null}, ${entry.reason ?? null}, ${run?.workflowId ?? null}, ${run?.runId ?? null})`,
  );
};
