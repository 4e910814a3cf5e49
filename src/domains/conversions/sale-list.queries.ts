import type { Context } from '../../platform/context.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { countedTotal } from '../merchants/index.ts';
import { salesOf } from './conversions.queries.ts';
import { type SaleView, type StoredSale, toSaleView } from './sales.wire.ts';

interface SaleFilter extends PageQuery {
  programId?: string | undefined;
  attributed?: boolean | undefined;
  externalSaleId?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/** All sales, credited or not, newest first. */
export const listSales = (ctx: Context, merchantId: string, filter: SaleFilter): Promise<Page<SaleView>> => {
  const { programId, attributed, externalSaleId, startDate, endDate } = filter;
  // Literal conditions: a parameter could not use the partial indexes.
  const reason = attributed === undefined ? undefined : attributed ? sql`reason is null` : sql`reason is not null`;
  const statuses = attributed === undefined ? undefined : [attributed ? 'attributed' : 'unattributed'];
  const isCounted = externalSaleId === undefined && startDate === undefined && endDate === undefined;
  return listPage<StoredSale & { conversionId: string | null }, SaleView>(ctx, filter, {
    name: 'sales',
    columns: sql<StoredSale & { conversionId: string | null }>`id, program_id as "programId", external_id as "externalId",
      amount::float8 as amount, refunded::float8 as refunded, currency, customer_id as "customerId", reason,
      occurred_at as "occurredAt", created_at as "createdAt",
      (select c.id from conversion c where c.sale_id = sale.id) as "conversionId"`,
    from: sql`sale`,
    where: [
      sql`merchant_id = ${merchantId}::uuid`,
      programId === undefined ? undefined : sql`program_id = ${programId}::uuid`,
      reason,
      externalSaleId === undefined ? undefined : sql`id = any(array(${salesOf(merchantId, externalSaleId)}))`,
      startDate === undefined ? undefined : sql`created_at >= ${startDate}::timestamptz`,
      endDate === undefined ? undefined : sql`created_at < ${endDate}::timestamptz`,
    ],
    ...(isCounted ? { total: countedTotal('sale', merchantId, { programId, statuses }) } : {}),
    toItem: (row) => toSaleView(row, row.conversionId),
  });
};
