import type { MarketplaceStatus, ProgramStatus, Readiness } from '../../contracts/programs.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, rows, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { countedTotal } from '../merchants/index.ts';
import { type ProgramDetailView, type ProgramView, type StoredProgram, toProgram } from './programs.wire.ts';
import { type ReadinessInput, readinessOf } from './readiness.ts';

const programColumns = sql`
  id, merchant_id as "merchantId", name, description, slug, website, landing_page_url as "landingPageUrl",
  allowed_landing_pages as "allowedLandingPages", allow_custom_destinations as "allowCustomDestinations", portal_slug as "portalSlug", status, marketplace_status as "marketplaceStatus",
  application_access as "applicationAccess", marketplace_category as "marketplaceCategory",
  marketplace_description as "marketplaceDescription", marketplace_logo_url as "marketplaceLogoUrl",
  commission_type as "commissionType", commission_percent::float8 as "commissionPercent",
  commission_limit_months as "commissionLimitMonths", commission_hold_days as "commissionHoldDays",
  cookie_duration as "cookieDuration", tracking_requires_consent as "trackingRequiresConsent",
  tracking_param_aliases as "trackingParamAliases", payout_threshold::float8 as "payoutThreshold",
  payout_frequency as "payoutFrequency", currency, auto_approve_affiliates as "autoApproveAffiliates",
  review_new_affiliates as "reviewNewAffiliates",
  terms_url as "termsUrl", stripe_account_id as "stripeAccountId", stripe_connected_at as "stripeConnectedAt",
  created_at as "createdAt", updated_at as "updatedAt"`;

/**
 * Of rows of `program`. The newest event secret never expires: a program that has issued one always has a valid one. Totals
 * outlive clicks, which are seconds ahead of them.
 */
const readinessColumns = sql`
  (stripe_connected_at is not null
    or exists (select from stripe_signing_secret s where s.program_id = program.id)
    or exists (select from program_event_secret s where s.program_id = program.id)) as "hasPaymentSource",
  (exists (select from affiliate_totals t where t.program_id = program.id and t.clicks > 0)
    or exists (select from click c where c.program_id = program.id)) as "hasTrackedClick",
  exists (select from affiliate a where a.program_id = program.id and a.status = 'approved') as "hasApprovedAffiliate"`;

/** For statements of other domains that read `program`. */
export const PROGRAM_READINESS = { columns: readinessColumns, of: readinessOf };

const NOT_ARCHIVED: readonly ProgramStatus[] = ['active', 'paused'];

/** Newest first. Archived programs are excluded unless `status` asks for them. */
export const listPrograms = (
  ctx: Context,
  { status, ...page }: PageQuery & { status?: ProgramStatus | undefined },
): Promise<Page<ProgramView>> => {
  const merchantId = merchantOf(ctx);
  const statuses = status === undefined ? NOT_ARCHIVED : [status];
  return listPage(ctx, page, {
    name: 'programs',
    columns: sql<StoredProgram>`${programColumns}`,
    from: sql`program`,
    where: [
      sql`merchant_id = ${merchantId}::uuid`,
      // One status is compared for equality: an index that starts with it is then in the list's order.
      status === undefined ? sql`status = any(${statuses}::text[])` : sql`status = ${status}`,
    ],
    total: countedTotal('program', merchantId, { statuses }),
    toItem: toProgram,
  });
};

/** A program with its readiness. NOT_FOUND when it does not exist, FORBIDDEN when it belongs to another merchant. */
export const getProgram = async (ctx: Context, id: string): Promise<ProgramDetailView> => {
  const row = await firstRow(
    ctx.em,
    sql<StoredProgram & ReadinessInput>`select ${programColumns}, ${readinessColumns} from program where id = ${id}::uuid`,
  );
  if (!row) throw notFound('Program');
  if (row.merchantId !== merchantOf(ctx)) throw forbidden();
  return { ...toProgram(row), readiness: readinessOf(row) };
};

/** A program as `GET /me` shows it. */
export interface ProgramSummary {
  id: string;
  name: string;
  status: ProgramStatus;
  marketplaceStatus: MarketplaceStatus;
  readiness: Readiness;
  website: string | null;
  landingPageUrl: string | null;
  stripeConnectedAt: string | null;
}

type SummaryRow = Omit<ProgramSummary, 'readiness'> & ReadinessInput;

const MAX_SUMMARIES = 100;

/** The 100 most recent programs of a merchant that are not archived. */
export const listProgramSummaries = async (ctx: Context, merchantId: string): Promise<ProgramSummary[]> => {
  const found = await rows(
    ctx.em,
    sql<SummaryRow>`
      select id, name, status, marketplace_status as "marketplaceStatus", website,
        landing_page_url as "landingPageUrl", stripe_connected_at as "stripeConnectedAt", ${readinessColumns}
      from program where merchant_id = ${merchantId}::uuid and status = any(${NOT_ARCHIVED}::text[])
      order by created_at desc, id desc limit ${MAX_SUMMARIES}`,
  );
  return found.map((row) => ({
    id: row.id,
    name: row.name,
    status: row.status,
    marketplaceStatus: row.marketplaceStatus,
    readiness: readinessOf(row),
    website: row.website,
    landingPageUrl: row.landingPageUrl,
    stripeConnectedAt: toIsoOrNull(row.stripeConnectedAt),
  }));
};

/** The oldest program of a merchant, including archived ones. */
export const findFirstProgramId = async (ctx: Context, merchantId: string): Promise<string | null> => {
  const row = await firstRow(
    ctx.em,
    sql<{ id: string }>`select id from program where merchant_id = ${merchantId}::uuid order by created_at, id limit 1`,
  );
  return row?.id ?? null;
};

/** Whether a sale was recorded or an amount booked. */
export const isCurrencyFixed = async (ctx: Context, programId: string): Promise<boolean> => {
  const row = await firstRow(
    ctx.em,
    sql<{ found: boolean }>`select exists (select from sale
        where program_id = ${programId}::uuid and reason is distinct from 'OTHER_CURRENCY')
      or exists (select from ledger_entry where owner_id = ${programId}::uuid) as found`,
  );
  return row?.found ?? false;
};
