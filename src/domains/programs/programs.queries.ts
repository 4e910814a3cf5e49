import type { MarketplaceStatus, ProgramStatus, Readiness } from '../../contracts/programs.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow, rows, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { countedTotal } from '../merchants/index.ts';
import { db, type Tables } from '../tables.ts';
import { type ProgramDetailView, type ProgramView, toProgram } from './programs.wire.ts';
import { readinessOf } from './readiness.rules.ts';

const PROGRAM = [
  'id',
  'merchantId',
  'name',
  'description',
  'slug',
  'website',
  'landingPageUrl',
  'allowedLandingPages',
  'allowCustomDestinations',
  'portalSlug',
  'applicationFields',
  'status',
  'marketplaceStatus',
  'applicationAccess',
  'marketplaceCategory',
  'marketplaceDescription',
  'marketplaceLogoUrl',
  'commissionType',
  'commissionPercent',
  'commissionLimitMonths',
  'commissionHoldDays',
  'cookieDuration',
  'trackingRequiresConsent',
  'trackingParamAliases',
  'embedOrigins',
  'payoutThreshold',
  'payoutFrequency',
  'autoPayouts',
  'currency',
  'autoApproveAffiliates',
  'reviewNewAffiliates',
  'joinCustomersByEmail',
  'termsUrl',
  'stripeAccountId',
  'stripeConnectedAt',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Tables['program'])[];

/**
 * Reads rows of `program`. The newest event secret never expires: a program that has issued one always has a valid one. Totals
 * outlive clicks, which are seconds ahead of them.
 */
export const programReadiness = [
  sql<boolean>`program.stripe_connected_at is not null
    or exists (select from stripe_signing_secret s where s.program_id = program.id)
    or exists (select from program_event_secret s where s.program_id = program.id)`.as('hasPaymentSource'),
  sql<boolean>`exists (select from affiliate_totals t where t.program_id = program.id and t.clicks > 0)
    or exists (select from click c where c.program_id = program.id)`.as('hasTrackedClick'),
  sql<boolean>`exists (select from affiliate a where a.program_id = program.id and a.status = 'approved')`.as(
    'hasApprovedAffiliate',
  ),
] as const;

const NOT_ARCHIVED: readonly ProgramStatus[] = ['active', 'paused'];

interface ProgramFilter {
  merchantId: string;
  status: ProgramStatus | undefined;
  statuses: readonly ProgramStatus[];
}

const programs = list({
  name: 'programs',
  query: ({ merchantId, status, statuses }: Given<ProgramFilter>) =>
    db
      .selectFrom('program')
      .select(PROGRAM)
      .where('merchantId', '=', merchantId)
      // One status is compared for equality: an index that starts with it is then in the list's order.
      .where('status', '=', status ?? anyOf(statuses)),
  total: ({ merchantId, statuses }) => countedTotal('program', merchantId, { statuses }),
  toItem: toProgram,
});

/** Newest first. Archived programs are excluded unless `status` asks for them. */
export const listPrograms = (
  ctx: Context,
  { status, ...page }: PageQuery & { status?: ProgramStatus | undefined },
): Promise<Page<ProgramView>> =>
  programs(ctx, page, { merchantId: merchantOf(ctx), status, statuses: status === undefined ? NOT_ARCHIVED : [status] });

const programById = compileOnce(({ id }: Given<{ id: string }>) =>
  db.selectFrom('program').select(PROGRAM).select(programReadiness).where('id', '=', id),
);

/** A program with its readiness. NOT_FOUND when it does not exist, FORBIDDEN when it belongs to another merchant. */
export const getProgram = async (ctx: Context, id: string): Promise<ProgramDetailView> => {
  const row = readOwned(ctx, 'Program', await firstRow(ctx.em, programById({ id })));
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

const MAX_SUMMARIES = 100;

/** The 100 most recent programs of a merchant that are not archived. */
export const listProgramSummaries = async (ctx: Context, merchantId: string): Promise<ProgramSummary[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('program')
      .select(['id', 'name', 'status', 'marketplaceStatus', 'website', 'landingPageUrl', 'stripeConnectedAt'])
      .select(programReadiness)
      .where('merchantId', '=', merchantId)
      .where('status', '=', anyOf(NOT_ARCHIVED))
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_SUMMARIES),
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
    db.selectFrom('program').select('id').where('merchantId', '=', merchantId).orderBy('createdAt').orderBy('id').limit(1),
  );
  return row?.id ?? null;
};

/** Whether a sale was recorded or an amount booked. */
export const isCurrencyFixed = async (ctx: Context, programId: string): Promise<boolean> => {
  const row = await firstRow(
    ctx.em,
    db.selectNoFrom(({ exists, or, selectFrom }) =>
      or([
        exists(
          selectFrom('sale')
            .select('id')
            .where('programId', '=', programId)
            .where('reason', 'is distinct from', 'OTHER_CURRENCY'),
        ),
        exists(selectFrom('ledger_entry').select('id').where('ownerId', '=', programId)),
      ]).as('isFixed'),
    ),
  );
  return Boolean(row?.isFixed);
};
