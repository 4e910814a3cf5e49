import { type RawBuilder, sql } from '../database/sql.ts';
import { countedTotal } from './pages.ts';
import { instant } from './schemas.ts';

/** `from` and `to` are the published aliases of the dates. */
export const dateQuery = {
  startDate: instant.optional(),
  from: instant.optional(),
  endDate: instant.optional(),
  to: instant.optional(),
};

interface Dates {
  startDate?: string | undefined;
  from?: string | undefined;
  endDate?: string | undefined;
  to?: string | undefined;
}

export const withDates = <T extends Dates>({ from, to, ...query }: T) => ({
  ...query,
  startDate: query.startDate ?? from,
  endDate: query.endDate ?? to,
});

export interface MerchantRowsFilter {
  programId?: string | undefined;
  affiliateId?: string | undefined;
  status?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/** Conditions of a merchant's own rows in a table with counters, and their exact total where the counters know it. */
export const merchantRows = (
  table: 'conversion' | 'payout',
  merchantId: string,
  { programId, affiliateId, status, startDate, endDate }: MerchantRowsFilter,
): { where: (RawBuilder<unknown> | undefined)[]; total?: RawBuilder<{ total: number }> } => {
  const counted = affiliateId === undefined && startDate === undefined && endDate === undefined;
  return {
    where: [
      sql`merchant_id = ${merchantId}::uuid`,
      programId === undefined ? undefined : sql`program_id = ${programId}::uuid`,
      affiliateId === undefined ? undefined : sql`affiliate_id = ${affiliateId}::uuid`,
      status === undefined ? undefined : sql`status = ${status}`,
      startDate === undefined ? undefined : sql`created_at >= ${startDate}::timestamptz`,
      endDate === undefined ? undefined : sql`created_at <= ${endDate}::timestamptz`,
    ],
    ...(counted
      ? { total: countedTotal(table, merchantId, { programId, statuses: status === undefined ? undefined : [status] }) }
      : {}),
  };
};
