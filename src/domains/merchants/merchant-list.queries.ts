import { ALL_PROGRAMS } from '../../contracts/programs.ts';
import { allOf, type RawBuilder, sql } from '../../platform/database/sql.ts';

export interface MerchantListFilter {
  programId?: string | undefined;
  affiliateId?: string | undefined;
  status?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/** Conditions for a merchant's rows of one table, and their exact total where the row counters cover the filter. */
export const merchantList = (
  table: 'conversion' | 'flag' | 'payout',
  merchantId: string,
  { programId, affiliateId, status, startDate, endDate }: MerchantListFilter,
): { where: (RawBuilder<unknown> | undefined)[]; total?: RawBuilder<{ total: number }> } => {
  const counted = affiliateId === undefined && startDate === undefined && endDate === undefined;
  return {
    where: [
      sql`merchant_id = ${merchantId}::uuid`,
      programId === undefined ? undefined : sql`program_id = ${programId}::uuid`,
      affiliateId === undefined ? undefined : sql`affiliate_id = ${affiliateId}::uuid`,
      status === undefined ? undefined : sql`status = ${status}`,
      startDate === undefined ? undefined : sql`created_at >= ${startDate}::timestamptz`,
      endDate === undefined ? undefined : sql`created_at < ${endDate}::timestamptz`,
    ],
    ...(counted
      ? { total: countedTotal(table, merchantId, { programId, statuses: status === undefined ? undefined : [status] }) }
      : {}),
  };
};

/** Exact numbers of rows by status, as `countedTotal`. */
export const countedByStatus = (
  table: string,
  merchantId: string,
  { programId = ALL_PROGRAMS }: { programId?: string | undefined },
): RawBuilder<{ status: string; total: number }> => sql`
  select status, sum(amount)::int as total from row_counter
  where relation = ${table} and merchant_id = ${merchantId}::uuid and program_id = ${programId}::uuid group by status`;

/**
 * Exact total of a list, from the counters that triggers update in the writer's transaction. Covers the unfiltered list
 * and the program and status filters.
 */
export const countedTotal = (
  table: string,
  merchantId: string | RawBuilder<string>,
  filter: {
    programId?: string | RawBuilder<string> | undefined;
    statuses?: readonly string[] | RawBuilder<readonly string[]> | undefined;
  },
): RawBuilder<{ total: number }> => sql`
  select coalesce(sum(amount), 0)::int as total from row_counter
  where ${allOf([
    sql`relation = ${table} and merchant_id = ${merchantId}::uuid`,
    sql`program_id = ${filter.programId ?? ALL_PROGRAMS}::uuid`,
    filter.statuses === undefined ? undefined : sql`status = any(${filter.statuses}::text[])`,
  ])}`;
