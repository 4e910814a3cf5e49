import type { MarketplaceSort } from '../../contracts/marketplace.ts';
import type { Context } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { type RawBuilder, sql } from '../../platform/database/sql.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db } from '../tables.ts';
import { EPC_SCALE, type MarketplaceProgramView, PERCENT_SCALE, toMarketplaceProgram } from './marketplace.wire.ts';

/** In the units in which they are stored. */
interface ListingFilter {
  category: string | undefined;
  minCommission: number | undefined;
  minEpc: number | undefined;
}

/** Those that are active, public and ready. */
const listed = ({ category, minCommission, minEpc }: Given<ListingFilter>) => {
  let query = db
    .selectFrom('marketplace_listing as l')
    .where('l.isPublic', '=', sql.lit(true))
    .where('l.isReady', '=', sql.lit(true));
  if (category) query = query.where('l.category', '=', sql<string>`fold_text(${category})`);
  if (minCommission) query = query.where('l.commission', '>=', minCommission);
  if (minEpc) query = query.where('l.epc', '>=', minEpc);
  return query;
};

const programsBy = (sort: MarketplaceSort, key: RawBuilder<unknown>, type: 'bigint' | 'timestamptz') =>
  list({
    name: `marketplace:${sort}`,
    query: (given: Given<ListingFilter>) =>
      listed(given)
        .innerJoin('program as p', 'p.id', 'l.programId')
        .innerJoin('merchant as m', 'm.id', 'p.merchantId')
        .select(['p.id', 'p.name', 'm.companyName', 'p.marketplaceCategory as category', 'p.website', 'p.termsUrl'])
        .select(['p.commissionType', 'p.commissionPercent', 'p.commissionLimitMonths', 'p.cookieDuration', 'p.currency'])
        .select(['l.epc', 'l.conversionRate', 'p.applicationAccess', 'p.createdAt'])
        .select(({ fn }) => [
          fn.coalesce('p.marketplaceDescription', 'p.description').as('description'),
          fn.coalesce('p.marketplaceLogoUrl', 'm.logoUrl').as('logoUrl'),
        ]),
    counted: (given) => listed(given).select('l.programId'),
    sort: { key, id: sql`l.program_id`, type, ascending: false },
    toItem: toMarketplaceProgram,
  });

const PROGRAMS = {
  epc: programsBy('epc', sql`l.epc`, 'bigint'),
  conversionRate: programsBy('conversionRate', sql`l.conversion_rate`, 'bigint'),
  commission: programsBy('commission', sql`l.commission`, 'bigint'),
  newest: programsBy('newest', sql`l.created_at`, 'timestamptz'),
};

export interface MarketplaceFilter extends PageQuery {
  category?: string | undefined;
  /** Percent. */
  minCommission?: number | undefined;
  /** In units of each program's currency. */
  minEpc?: number | undefined;
  sort?: MarketplaceSort | undefined;
}

/** Programs that are active, public and ready, best first, ties by id. */
export const listMarketplacePrograms = (
  ctx: Context,
  { category, minCommission, minEpc, sort = 'epc', ...page }: MarketplaceFilter,
): Promise<Page<MarketplaceProgramView>> =>
  PROGRAMS[sort](ctx, page, {
    category,
    minCommission: minCommission === undefined ? undefined : Math.round(minCommission * PERCENT_SCALE),
    minEpc: minEpc === undefined ? undefined : Math.round(minEpc * EPC_SCALE),
  });
