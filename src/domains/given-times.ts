import { after } from '../platform/clock.ts';
import { type Context, findCaller } from '../platform/context.ts';
import { firstRow } from '../platform/database/sql.ts';
import { isDay, timeIn } from '../platform/local-time.ts';
import { db } from './tables.ts';

/** As the merchant chose it; UTC for an unknown merchant. */
export const getTimeZone = async (ctx: Context, merchantId: string): Promise<string> =>
  (await firstRow(ctx.em, db.selectFrom('merchant').select('timezone').where('id', '=', merchantId)))?.timezone ?? 'UTC';

/** UTC for callers that are no merchant: they may be paid by several. */
const zoneOfCaller = async (ctx: Context): Promise<string> => {
  const caller = findCaller(ctx.actor);
  return caller?.keyType === 'merchant' ? getTimeZone(ctx, caller.ownerId) : 'UTC';
};

/** Until when something lasts: the time that a caller named, or the last millisecond of a day of the merchant. */
export const givenEnd = async (ctx: Context, text: string): Promise<Date> =>
  isDay(text) ? after(timeIn(text, await zoneOfCaller(ctx), 'end'), -1) : new Date(text);

/** Ranges include the day that ends them. */
const EDGES = { startDate: 'start', endDate: 'end', paidFrom: 'start', paidTo: 'end', at: 'end' } as const;
type Bound = keyof typeof EDGES;
const BOUNDS = Object.keys(EDGES) as Bound[];

/** A filter with points in time in place of days. */
export const withGivenTimes = async <T extends { [Name in Bound]?: string | undefined }>(ctx: Context, filter: T): Promise<T> => {
  const days = BOUNDS.flatMap((name) => {
    const text = filter[name];
    return text !== undefined && isDay(text) ? [[name, text] as const] : [];
  });
  if (days.length === 0) return filter;
  const zone = await zoneOfCaller(ctx);
  const times = days.map(([name, day]) => [name, timeIn(day, zone, EDGES[name]).toISOString()]);
  return { ...filter, ...Object.fromEntries(times) };
};
