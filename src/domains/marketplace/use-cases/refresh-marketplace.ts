import { performance } from 'node:perf_hooks';
import { toMajorUnits } from '../../../contracts/currencies.ts';
import { after, HOUR_MS, SECOND_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { programReadiness, readinessOf } from '../../programs/index.ts';
import { db } from '../../tables.ts';
import { addUpDays, firstDayOf } from '../add-up-days.steps.ts';
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
  const due = await leaseDue(ctx);
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

/** Whoever leases a program has time until it is due again. */
const leaseDue = (ctx: Context): Promise<DueProgram[]> => {
  const now = ctx.clock.now();
  return rows(
    ctx.em,
    db
      .with('due', (cte) =>
        cte
          .selectFrom('marketplace_refresh')
          .select('programId')
          .where('isPublic', '=', sql.lit(true))
          .where('dueAt', '<=', now.toISOString())
          .orderBy('dueAt')
          .orderBy('programId')
          .limit(BATCH)
          .forUpdate()
          .skipLocked(),
      )
      .updateTable('marketplace_refresh as r')
      .set({ dueAt: after(now, REFRESH_AFTER_MS).toISOString() })
      .from('due')
      .innerJoin('program', 'program.id', 'due.programId')
      .whereRef('r.programId', '=', 'due.programId')
      .returning(['program.id', 'program.currency', 'program.website'])
      .returning(programReadiness),
  );
};

const refresh = async (ctx: Context, program: DueProgram): Promise<void> => {
  const startedMs = performance.now();
  await (readinessOf(program) === 'ready' ? writeFigures(ctx, program) : hide(ctx, program.id));
  const pauseMs = (performance.now() - startedMs) / MAX_SHARE;
  if (pauseMs > REFRESH_AFTER_MS) await setDue(ctx, program.id, pauseMs);
};

const hide = (ctx: Context, programId: string): Promise<number> =>
  execute(
    ctx.em,
    db
      .updateTable('marketplace_listing')
      .set({ isReady: false })
      .where('programId', '=', programId)
      .where('isReady', '=', sql.lit(true)),
  );

/** Clicks and sales of the same days, in UTC. Commissions are less refunds, whenever those were made. */
const writeFigures = async (ctx: Context, { id, currency }: DueProgram): Promise<void> => {
  while ((await addUpDays(ctx, id)) > 0);
  const firstDay = firstDayOf(ctx);
  const clicks = db
    .selectFrom('affiliate as a')
    .innerJoin('click_count as n', 'n.affiliateId', 'a.id')
    .select(({ fn }) => fn.sum<number>('n.clicks').as('clicks'))
    .where('a.programId', '=', id)
    .where('n.day', '>=', firstDay);
  const sums = db
    .selectFrom('marketplace_day')
    .select(({ fn }) => [fn.sum<number>('sales').as('sales'), fn.sum<number>('commission').as('commission')])
    .where('programId', '=', id)
    .where('day', '>=', firstDay);
  const figures = db
    .selectFrom([clicks.as('k'), sums.as('c')])
    .select([
      perClick(sql`c.commission`, toMajorUnits(EPC_SCALE, currency)).as('epc'),
      perClick(sql`c.sales`, 100 * PERCENT_SCALE).as('conversionRate'),
    ]);
  await execute(
    ctx.em,
    db
      .updateTable('marketplace_listing as l')
      .from(figures.as('f'))
      .set(({ ref }) => ({ isReady: true, epc: ref('f.epc'), conversionRate: ref('f.conversionRate') }))
      .where('l.programId', '=', id)
      .where(sql<boolean>`(l.is_ready, l.epc, l.conversion_rate) is distinct from (true, f.epc, f.conversion_rate)`),
  );
};

const perClick = (sum: RawBuilder<unknown>, scale: number) =>
  sql<number>`coalesce(round(${sum} * ${scale} / nullif(k.clicks, 0)), 0)`;

const setDue = (ctx: Context, programId: string, inMs: number): Promise<number> =>
  execute(
    ctx.em,
    db
      .updateTable('marketplace_refresh')
      .set({ dueAt: after(ctx.clock.now(), inMs).toISOString() })
      .where('programId', '=', programId),
  );
