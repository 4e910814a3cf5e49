import { performance } from 'node:perf_hooks';
import { toMajorUnits } from '../../../contracts/currencies.ts';
import { after, HOUR_MS, SECOND_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, rows, sql } from '../../../platform/database/sql.ts';
import { programReadiness, readinessOf } from '../../programs/index.ts';
import { addUpDays, firstDayOf } from '../add-up-days.ts';
import { EPC_SCALE, PERCENT_SCALE } from '../marketplace.wire.ts';

/** Per round; the next round continues with what is left. */
const BATCH = 100;
const REFRESH_AFTER_MS = 30 * SECOND_MS;
/** A program whose figures take long is refreshed less often: at most this share of the time is spent on it. */
const MAX_SHARE = 0.01;
const RETRY_AFTER_MS = HOUR_MS;

/**
 * Computes readiness and figures of public programs anew, those that are due first; returns of how many. A crash or a repeat
 * cannot miscount. Processes that do it at the same time take different programs.
 */
export const refreshMarketplace = async (ctx: Context): Promise<number> => {
  const due = await claimDue(ctx);
  for (const program of due) {
    try {
      await refresh(ctx, program);
    } catch (err) {
      // One program that takes too long must not hold up the others. Its figures stay as they are.
      ctx.log.warn({ err, programId: program.id }, 'refreshing a program of the marketplace failed');
      await setDue(ctx, program.id, RETRY_AFTER_MS);
    }
  }
  return due.length;
};

type DueProgram = { id: string; currency: string } & Parameters<typeof readinessOf>[0];

/** Whoever claims a program has time until it is due again. */
const claimDue = (ctx: Context): Promise<DueProgram[]> => {
  const now = ctx.clock.now();
  return rows(
    ctx.em,
    sql<DueProgram>`with due as (
        select program_id from marketplace_refresh where is_public and due_at <= ${now.toISOString()}::timestamptz
        order by due_at, program_id limit ${BATCH} for update skip locked)
      update marketplace_refresh r set due_at = ${after(now, REFRESH_AFTER_MS).toISOString()}::timestamptz
      from due join program on program.id = due.program_id where r.program_id = due.program_id
      returning program.id, currency, website, ${sql.join(programReadiness)}`,
  );
};

const refresh = async (ctx: Context, program: DueProgram): Promise<void> => {
  const startedMs = performance.now();
  await (readinessOf(program) === 'ready' ? writeFigures(ctx, program) : hide(ctx, program.id));
  const pauseMs = (performance.now() - startedMs) / MAX_SHARE;
  if (pauseMs > REFRESH_AFTER_MS) await setDue(ctx, program.id, pauseMs);
};

const hide = async (ctx: Context, programId: string): Promise<void> => {
  await execute(ctx.em, sql`update marketplace_listing set is_ready = false where program_id = ${programId}::uuid and is_ready`);
};

/** Clicks and sales of the same days, in UTC. Commissions are less refunds, whenever those were made. */
const writeFigures = async (ctx: Context, { id, currency }: DueProgram): Promise<void> => {
  while ((await addUpDays(ctx, id)) > 0);
  const firstDay = firstDayOf(ctx);
  await execute(
    ctx.em,
    sql`update marketplace_listing l set is_ready = true, epc = f.epc, conversion_rate = f.conversion_rate
      from (
        select coalesce(round(c.commission * ${toMajorUnits(EPC_SCALE, currency)}::numeric / nullif(k.clicks, 0)), 0)::bigint as epc,
          coalesce(round(c.sales * ${100 * PERCENT_SCALE}::numeric / nullif(k.clicks, 0)), 0)::bigint as conversion_rate
        from (select sum(n.clicks) as clicks from affiliate a join click_count n on n.affiliate_id = a.id
            where a.program_id = ${id}::uuid and n.day >= ${firstDay}::date) k,
          (select sum(sales) as sales, sum(commission) as commission from marketplace_day
            where program_id = ${id}::uuid and day >= ${firstDay}::date) c) f
      where l.program_id = ${id}::uuid and (l.is_ready, l.epc, l.conversion_rate) is distinct from (true, f.epc, f.conversion_rate)`,
  );
};

const setDue = (ctx: Context, programId: string, inMs: number): Promise<number> =>
  execute(
    ctx.em,
    sql`update marketplace_refresh set due_at = ${after(ctx.clock.now(), inMs).toISOString()}::timestamptz
      where program_id = ${programId}::uuid`,
  );
