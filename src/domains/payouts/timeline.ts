import type { PayoutStatus, PayoutTimelineType, RailOutcome } from '../../contracts/payouts.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import type { Payout } from './payout.entity.ts';

export interface TimelineEntry {
  type: PayoutTimelineType;
  from?: PayoutStatus;
  to?: PayoutStatus;
  attempt?: number;
  /** Of a send or a status look-up. */
  outcome?: RailOutcome;
  railReference?: string | null;
  /** A stable code of ours, or the provider's own. */
  reason?: string | null;
  /** Free text of the person who decided. */
  note?: string | null;
  reminder?: number;
}

/** Kept for ever: workflow history expires, the timeline does not. */
export const addTimelineEntry = async (ctx: Context, payout: Pick<Payout, 'id'>, entry: TimelineEntry): Promise<void> => {
  const run = ctx.actor.kind === 'system' ? ctx.actor.run : undefined;
  await execute(
    ctx.em,
    sql`insert into payout_timeline
      (id, payout_id, at, type, actor, from_status, to_status, attempt, outcome, rail_reference, reason, note, reminder,
       workflow_id, run_id) values
      (${ctx.ids.next()}::uuid, ${payout.id}::uuid, ${ctx.clock.now().toISOString()}::timestamptz, ${entry.type},
       ${actorName(ctx.actor)}, ${entry.from ?? null}, ${entry.to ?? null}, ${entry.attempt ?? null}::int,
       ${entry.outcome ?? null}, ${entry.railReference ?? null}, ${entry.reason ?? null}, ${entry.note ?? null},
       ${entry.reminder ?? null}::int, ${run?.workflowId ?? null}, ${run?.runId ?? null})`,
  );
};
