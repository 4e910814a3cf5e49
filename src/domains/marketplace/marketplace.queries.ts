import type { MarketplaceSort } from '../../contracts/marketplace.ts';
import type { Context } from '../../platform/context.ts';
import { type RawBuilder, sql } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import {
  EPC_SCALE,
  type MarketplaceProgramView,
  PERCENT_SCALE,
  type StoredMarketplaceProgram,
  toMarketplaceProgram,
} from './marketplace.wire.ts';

export interface MarketplaceFilter extends PageQuery {
  category?: string | undefined;
  /** Percent. */
  minCommission?: number | undefined;
  /** In units of each program's currency. */
  minEpc?: number | undefined;
  sort?: MarketplaceSort | undefined;
}

const columns = sql<StoredMarketplaceProgram>`p.id, p.name, m.company_name as "companyName",
  coalesce(p.marketplace_description, p.description) as description, p.marketplace_category as category,
  coalesce(p.marketplace_logo_url, m.logo_url) as "logoUrl", p.website, p.terms_url as "termsUrl",
  p.commission_type as "commissionType", p.commission_percent::float8 as "commissionPercent",
  p.commission_limit_months as "commissionLimitMonths", p.cookie_duration as "cookieDuration", p.currency,
  l.epc::float8 as epc, l.conversion_rate::float8 as "conversionRate", p.application_access as "applicationAccess",
  p.created_at as "createdAt"`;

const SORT_KEYS: Record<MarketplaceSort, { key: RawBuilder<unknown>; type: 'bigint' | 'timestamptz' }> = {
  epc: { key: sql`l.epc`, type: 'bigint' },
  conversionRate: { key: sql`l.conversion_rate`, type: 'bigint' },
  commission: { key: sql`l.commission`, type: 'bigint' },
  newest: { key: sql`l.created_at`, type: 'timestamptz' },
};

/** Programs that are active, public and ready, best first, ties by id. */
export const listMarketplacePrograms = (
  ctx: Context,
  { category, minCommission, minEpc, sort = 'epc', ...page }: MarketplaceFilter,
): Promise<Page<MarketplaceProgramView>> =>
  listPage(ctx, page, {
    name: `marketplace:${sort}`,
    columns,
    from: sql`marketplace_listing l join program p on p.id = l.program_id join merchant m on m.id = p.merchant_id`,
    countFrom: sql`marketplace_listing l`,
    where: [
      sql`l.is_public and l.is_ready`,
      category === undefined ? undefined : sql`l.category = lower(${category})`,
      minCommission === undefined ? undefined : sql`l.commission >= ${Math.round(minCommission * PERCENT_SCALE)}`,
      minEpc === undefined ? undefined : sql`l.epc >= ${Math.round(minEpc * EPC_SCALE)}`,
    ],
    sort: { ...SORT_KEYS[sort], id: sql`l.program_id`, ascending: false },
    toItem: toMarketplaceProgram,
  });
