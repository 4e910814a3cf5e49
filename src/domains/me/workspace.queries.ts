import { MAX_OWN_PROGRAMS } from '../../contracts/limits.ts';
import { type Context, profileOf } from '../../platform/context.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { getOwnAffiliate, getPayoutInfo } from '../affiliates/index.ts';
import {
  type CurrencySums,
  type EarningsView,
  type MyProgramDetailView,
  type MyProgramRow,
  type MyProgramView,
  type OverviewView,
  type ProgramTerms,
  toEarnings,
  toMyProgram,
  toMyProgramDetail,
  toOverview,
} from './workspace.wire.ts';

/** One row for each currency of the caller's programs, that of the most recent conversion first. */
const sumBalances = (ctx: Context): Promise<CurrencySums[]> =>
  rows(
    ctx.em,
    sql<CurrencySums>`select p.currency, count(*)::int as programs,
        count(*) filter (where a.status = 'approved' and p.status = 'active')::int as "activePrograms",
        coalesce(sum(b.pending), 0)::float8 as pending, coalesce(sum(b.payable), 0)::float8 as available,
        coalesce(sum(b.in_payout), 0)::float8 as "inPayout", coalesce(sum(b.paid), 0)::float8 as paid
      from affiliate a join program p on p.id = a.program_id left join ledger_balance b on b.affiliate_id = a.id
      left join lateral (
        select created_at from conversion where affiliate_id = a.id order by created_at desc, id desc limit 1) c on true
      where a.profile_id = ${profileOf(ctx)}::uuid
      group by p.currency order by max(c.created_at) desc nulls last, max(a.created_at) desc, p.currency`,
  );

const membershipColumns = sql`
  a.id as "affiliateId", p.id as "programId", p.name as "programName", p.description as "programDescription",
  m.company_name as "companyName", p.portal_slug as "portalSlug", p.marketplace_logo_url as "marketplaceLogoUrl",
  p.commission_type as "commissionType", coalesce(a.commission_percent, p.commission_percent)::float8 as "commissionPercent",
  p.currency, a.code, a.status, t.clicks::float8 as "totalClicks", t.conversions::float8 as "totalConversions",
  t.revenue::float8 as "totalRevenue", t.earnings::float8 as "totalCommission", coalesce(b.paid, 0)::float8 as "totalPaidOut",
  a.created_at as "createdAt"`;

const memberships = sql`affiliate a join program p on p.id = a.program_id join merchant m on m.id = a.merchant_id
  join affiliate_totals t on t.affiliate_id = a.id left join ledger_balance b on b.affiliate_id = a.id`;

const findMemberships = (ctx: Context): RawBuilder<MyProgramRow> =>
  sql<MyProgramRow>`select ${membershipColumns} from ${memberships} where a.profile_id = ${profileOf(ctx)}::uuid
    order by a.created_at desc, a.id desc limit ${MAX_OWN_PROGRAMS}`;

/** Balances are those of the ledger. The statistics are those of the 1,000 programs that the caller joined last. */
export const getOverview = async (ctx: Context): Promise<OverviewView> =>
  toOverview(profileOf(ctx), await sumBalances(ctx), await rows(ctx.em, findMemberships(ctx)));

/** Balances of the caller in all programs, by currency. */
export const getMyEarnings = async (ctx: Context): Promise<EarningsView> => toEarnings(await sumBalances(ctx));

/** Newest first, and not paged: at most 1,000. */
export const listMyPrograms = async (ctx: Context): Promise<MyProgramView[]> =>
  (await rows(ctx.em, findMemberships(ctx))).map(toMyProgram);

/** NOT_FOUND for a missing program, FORBIDDEN for one that the caller has not joined. */
export const getMyProgram = async (ctx: Context, programId: string): Promise<MyProgramDetailView> => {
  const { id } = await getOwnAffiliate(ctx, programId);
  const row = await firstRow(
    ctx.em,
    sql<MyProgramRow & ProgramTerms>`select ${membershipColumns}, p.website, p.landing_page_url as "landingPageUrl",
        p.commission_limit_months as "commissionLimitMonths", p.cookie_duration as "cookieDuration",
        p.payout_threshold::float8 as "payoutThreshold", p.payout_frequency as "payoutFrequency",
        p.allow_custom_destinations as "allowCustomDestinations", p.allowed_landing_pages as "allowedLandingPages",
        p.terms_url as "termsUrl", coalesce(b.pending, 0)::float8 as "pendingCommission"
      from ${memberships} where a.id = ${id}::uuid`,
  );
  invariant(row, 'affiliates are never removed');
  return toMyProgramDetail(row, await getPayoutInfo(ctx));
};
