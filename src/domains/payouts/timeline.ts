import type { PayoutStatus, PayoutTimelineType, RailOutcome } from '../../contracts/payouts.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import type { NeverReceived, RailResult } from './rails/rail.ts';

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

/** Records a status look-up. One that repeats the result of the payout's last entry is only counted. */
export const addStatusCheck = async (
  ctx: Context,
  payout: Pick<Payout, 'id'>,
  { n }: PayoutAttempt,
  result: RailResult | NeverReceived,
): Promise<void> => {
  const wasReceived = result.outcome !== 'never_received';
  const railReference = wasReceived ? result.railReference : null;
  const reason = wasReceived ? (result.problem ?? result.failureCode) : null;
  const repeated = await execute(
    ctx.em,
    sql`insert into payout_status_check (entry_id, times, last_at)
      select id, 2, ${ctx.clock.now().toISOString()}::timestamptz from (
        select * from payout_timeline where payout_id = ${payout.id}::uuid order by seq desc limit 1) as latest
      where type = 'status_checked' and attempt = ${n} and outcome = ${result.outcome}
        and rail_reference is not distinct from ${railReference} and reason is not distinct from ${reason}
      on conflict (entry_id) do update set times = payout_status_check.times + 1, last_at = excluded.last_at`,
  );
  if (repeated > 0) return;
  await addTimelineEntry(ctx, payout, { type: 'status_checked', attempt: n, outcome: result.outcome, railReference, reason });
};
