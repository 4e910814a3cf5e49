import type { z } from 'zod';
import { instant } from './schemas.ts';

/** `from` and `to` are published aliases of `startDate` and `endDate`. */
export const dateRangeQuery = {
  startDate: instant.optional().describe('Only objects created at or after this time'),
  from: instant.optional().describe('Alias of `startDate`, which takes precedence'),
  endDate: instant.optional().describe('Only objects created before this time'),
  to: instant.optional().describe('Alias of `endDate`, which takes precedence'),
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

const instantMs = (text: string): number => Date.parse(text);

/**
 * The query with its ranges checked: one that ends before it begins selects nothing, which looks like an empty month. Ends that are equal
 * are none of these. `rankOf` orders the texts of a range.
 */
export const inOrder = <T extends z.ZodObject>(query: T, rankOf = instantMs): T =>
  query.superRefine((given: Readonly<Record<string, unknown>>, { addIssue }) => {
    for (const { start, end } of RANGES) {
      const first = start.find((name) => typeof given[name] === 'string');
      const last = end.find((name) => typeof given[name] === 'string');
      if (first === undefined || last === undefined || rankOf(String(given[first])) <= rankOf(String(given[last]))) continue;
      addIssue({ code: 'custom', path: [last], message: `must not be before ${first}` });
    }
  });
