import type { Context } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { countedTotal } from '../../merchants/index.ts';
import { db } from '../../tables.ts';
import { salesOf } from '../conversions.queries.ts';
import { type SaleView, toSaleView } from './sales.wire.ts';

interface SaleFilter {
  merchantId: string;
  programId?: string | undefined;
  externalSaleId?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

const SALE = [
  'id',
  'programId',
  'externalId',
  'amount',
  'refunded',
  'currency',
  'customerId',
  'reason',
  'occurredAt',
  'createdAt',
] as const;

const sales = (isAttributed: boolean | undefined) =>
  list({
    name: 'sales',
    query: ({ merchantId, programId, externalSaleId, startDate, endDate }: Given<SaleFilter>) => {
      let query = db
        .selectFrom('sale')
        .select(SALE)
        .select(sql<UnusableMember[] | null>`evidence -> 'unusable'`.as('unusable'))
        .select((eb) => eb.selectFrom('conversion as c').select('c.id').whereRef('c.saleId', '=', 'sale.id').as('conversionId'))
        .where('merchantId', '=', merchantId);
      if (programId) query = query.where('programId', '=', programId);
      // Not a parameter, which could not use the partial indexes.
      if (isAttributed !== undefined) query = query.where('reason', isAttributed ? 'is' : 'is not', null);
      if (externalSaleId) query = query.where('id', '=', anyOf(salesOf(merchantId, externalSaleId)));
      if (startDate) query = query.where('createdAt', '>=', startDate);
      return endDate ? query.where('createdAt', '<', endDate) : query;
    },
    total: ({ merchantId, programId, externalSaleId, startDate, endDate }) => {
      const statuses = isAttributed === undefined ? undefined : [isAttributed ? 'attributed' : 'unattributed'];
      const isCounted = (externalSaleId ?? startDate ?? endDate) === undefined;
      return isCounted ? countedTotal('sale', merchantId, { programId, statuses }) : undefined;
    },
    toItem: (row) => toSaleView(row, row.conversionId),
  });

const allSales = sales(undefined);
const attributedSales = sales(true);
const unattributedSales = sales(false);

/** All sales, credited or not, newest first. */
export const listSales = (
  ctx: Context,
  merchantId: string,
  {
    programId,
    attributed,
    externalSaleId,
    startDate,
    endDate,
    ...page
  }: PageQuery & Omit<SaleFilter, 'merchantId'> & { attributed?: boolean | undefined },
): Promise<Page<SaleView>> =>
  (attributed === undefined ? allSales : attributed ? attributedSales : unattributedSales)(ctx, page, {
    merchantId,
    programId,
    externalSaleId,
    startDate,
    endDate,
  });
