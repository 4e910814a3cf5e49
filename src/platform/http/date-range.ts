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
