import { after, DAY_MS } from '../../platform/clock.ts';
import { type Context, profileOf } from '../../platform/context.ts';
import { allOf, rows, sql } from '../../platform/database/sql.ts';
import { invalid } from '../../platform/errors.ts';
import type { ClickStatsView } from './tracking.wire.ts';

export interface ClickStatsFilter {
  program_id?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
/** Links, and sources, that are listed: those with the most clicks. */
const MAX_ROWS = 100;

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Both included, in UTC. BAD_REQUEST for more than 366 days, and for the year 0, which Postgres does not have. */
const daysOf = (ctx: Context, { startDate, endDate }: ClickStatsFilter): { first: string; last: string } => {
  const last = endDate === undefined ? ctx.clock.now() : new Date(endDate);
  const first = startDate === undefined ? after(last, -(DEFAULT_DAYS - 1) * DAY_MS) : new Date(startDate);
  if (last.getTime() - first.getTime() > MAX_DAYS * DAY_MS) {
    const message = `must be at most ${MAX_DAYS} days before endDate`;
    throw invalid('BAD_REQUEST', 'The period is too long', [{ path: 'startDate', code: 'too_big', message }]);
  }
  if (Math.min(first.getUTCFullYear(), last.getUTCFullYear()) < 1) {
    const path = startDate !== undefined && first < last ? 'startDate' : 'endDate';
    const message = 'must be in the years 0001 to 9999';
    throw invalid('BAD_REQUEST', 'The period is too early', [{ path, code: 'too_small', message }]);
  }
  return { first: dayOf(first), last: dayOf(last) };
};

interface StatsRow {
  kind: 'all' | 'code' | 'day' | 'source';
  code: string | null;
  day: string | null;
  source: string | null;
  linkId: string | null;
  name: string | null;
  clicks: number;
}

/** A template, for its grouping sets. */
const sumClicks = (ctx: Context, programId: string | undefined, days: { first: string; last: string }): Promise<StatsRow[]> =>
  rows(
    ctx.em,
    sql<StatsRow>`
      select s.kind, s.code, s.day, s.source, l.id as "linkId", l.name, s.clicks
      from (
        select *, row_number() over (partition by kind order by clicks desc, code, source) as place
        from (
          select case grouping(n.code, n.day, n.source) when 7 then 'all' when 3 then 'code' when 5 then 'day' else 'source' end as kind,
            n.code, n.day, n.source, coalesce(sum(n.clicks), 0) as clicks
          from click_count n join affiliate a on a.id = n.affiliate_id
          where ${allOf([
            sql`a.profile_id = ${profileOf(ctx)}`,
            programId === undefined ? undefined : sql`a.program_id = ${programId}`,
            sql`n.day between ${days.first} and ${days.last}`,
          ])}
          group by grouping sets ((), (n.code), (n.day), (n.source))) as sums) as s
      left join referral_code r on r.code = s.code
      left join link l on l.id = r.link_id
      where s.kind = 'day' or s.place <= ${MAX_ROWS}
      order by s.day, s.place`,
  );

/** Clicks on the codes and links of the caller, in all programs or one. Of another's program there are none. */
export const getMyClicks = async (ctx: Context, filter: ClickStatsFilter): Promise<ClickStatsView> => {
  const days = daysOf(ctx, filter);
  const found = await sumClicks(ctx, filter.program_id, days);
  return {
    totalClicks: found.find(({ kind }) => kind === 'all')?.clicks ?? 0,
    startDate: days.first,
    endDate: days.last,
    byLink: found.flatMap(({ code, linkId, name, clicks }) => (code === null ? [] : [{ linkId, name, code, clicks }])),
    byDay: found.flatMap(({ day, clicks }) => (day === null ? [] : [{ day, clicks }])),
    bySource: found.flatMap(({ source, clicks }) => (source === null ? [] : [{ source, clicks }])),
  };
};
