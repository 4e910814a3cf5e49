import { instant } from './schemas.ts';

/** `from` and `to` are published aliases of `startDate` and `endDate`. */
export const dateRangeQuery = {
  startDate: instant.optional(),
  from: instant.optional(),
  endDate: instant.optional(),
  to: instant.optional(),
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
