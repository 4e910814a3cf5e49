import type { z } from 'zod';
import { isDay } from '../local-time.ts';
import { dayOrInstant } from './schemas.ts';

/** A day counts as a whole. `from` and `to` are published aliases of `startDate` and `endDate`. */
export const dateRangeQuery = {
  startDate: dayOrInstant
    .optional()
    .describe('Only objects created at or after this time, or from this day of your time zone on, such as 2026-01-01'),
  from: dayOrInstant.optional().describe('Alias of `startDate`, which takes precedence'),
  endDate: dayOrInstant
    .optional()
    .describe('Only objects created before this time, or up to this day of your time zone, such as 2026-01-31'),
  to: dayOrInstant.optional().describe('Alias of `endDate`, which takes precedence'),
};

interface DateRangeQuery {
  startDate?: string | undefined;
  from?: string | undefined;
  endDate?: string | undefined;
  to?: string | undefined;
}

/** Replaces the aliases. When both spellings are given, `startDate` and `endDate` win. */
export const resolveDateRange = <T extends DateRangeQuery>({ from, to, ...query }: T) => ({
  ...query,
  startDate: query.startDate ?? from,
  endDate: query.endDate ?? to,
});

/** Names of the beginning and the end of a range, the first of each wins. */
const RANGES = [
  { start: ['startDate', 'from'], end: ['endDate', 'to'] },
  { start: ['paidFrom'], end: ['paidTo'] },
] as const;

const HOUR_MS = 3_600_000;
/** The times of a day in all time zones. Their clocks differ from UTC by 12 hours less to 14 hours more. */
const earliestMs = (text: string): number => Date.parse(text) - (isDay(text) ? 14 * HOUR_MS : 0);
const latestMs = (text: string): number => Date.parse(text) + (isDay(text) ? 36 * HOUR_MS : 0);

const isReversed = (first: string, last: string): boolean =>
  isDay(first) && isDay(last) ? first > last : earliestMs(first) > latestMs(last);

/**
 * The query with its ranges checked: one that ends before it begins selects nothing, which looks like an empty month. Ends that are equal
 * are none of these. A day and a time are compared as far as the time zone does not matter.
 */
export const inOrder = <T extends z.ZodObject>(query: T): T =>
  query.superRefine((given: Readonly<Record<string, unknown>>, { addIssue }) => {
    for (const { start, end } of RANGES) {
      const first = start.find((name) => typeof given[name] === 'string');
      const last = end.find((name) => typeof given[name] === 'string');
      if (first === undefined || last === undefined || !isReversed(String(given[first]), String(given[last]))) continue;
      addIssue({ code: 'custom', path: [last], message: `must not be before ${first}` });
    }
  });
