import { z } from 'zod';
import { PAYOUT_FREQUENCIES } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { affiliateId, currencyCode, programId, programName } from '../../platform/http/fields.ts';
import { amountMinor, storedUuid, stringOrNull, timestamp } from '../../platform/http/schemas.ts';
import { affiliateSchema, type getPayoutInfo, payoutInfoSchema } from '../affiliates/index.ts';
import { type PortalFields, type PortalRow, portalFields, programSchema, toPortalFields } from '../programs/index.ts';
import { type CurrencySums, mainCurrency, NO_SUMS, sums, toSums } from './earnings.wire.ts';

const totals = {
  ...affiliateSchema.pick({ totalClicks: true, totalConversions: true, totalRevenue: true }).shape,
  totalCommission: amountMinor.describe('Sum of your commissions in the program, after refunds. Adjustments are not included'),
  totalLeads: z.int().describe('Number of your customers who signed up, whether they paid or not'),
  totalCustomers: z.int().describe('Number of your customers who paid'),
  totalPaidOut: amountMinor.describe('Sum of your completed payouts in the program'),
};

const earnings = {
  totalEarnings: sums.total,
  pendingEarnings: sums.pending,
  availableEarnings: sums.available,
  inPayoutEarnings: sums.inPayout,
  paidEarnings: sums.paid,
};

/** The amounts at the top are in `currency`, that of the most recent conversion: they are never summed across currencies. */
export const overviewSchema = z
  .object({
    affiliateProfileId: storedUuid.describe('Your profile, shared by all programs'),
    programCount: z.int().describe('Programs that you joined'),
    activeProgramCount: z.int().describe('Of these, active programs that have not blocked you'),
    ...earnings,
    currency: mainCurrency,
    byCurrency: z
      .array(z.object({ currency: currencyCode, ...earnings }))
      .describe('The same totals for each currency, the one at the top level first'),
    programStats: z
      .array(z.object({ programId, programName, currency: currencyCode, ...totals }))
      .describe('Numbers of each program, in its currency; the program that you joined last comes first'),
  })
  .meta({ id: 'Overview' });

const membership = {
  affiliateId,
  programId,
  programName,
  programDescription: stringOrNull.describe('What the program offers; null if not set'),
  ...portalFields,
  marketplaceLogoUrl: programSchema.shape.marketplaceLogoUrl,
  commissionType: programSchema.shape.commissionType,
  commissionPercent: z.number().describe('Your commission in percent of each sale, with at most two decimals'),
  currency: currencyCode,
  code: z.string().describe('Your referral code, unique in the installation'),
  isApproved: z.boolean().describe('Whether you may promote the program'),
  isBlocked: z.boolean().describe('Whether the merchant blocked you: you earn no commissions and are not paid'),
  ...totals,
  createdAt: timestamp.describe('When you joined the program'),
};

export const myProgramSchema = z
  .object({
    ...membership,
    companyName: z.string().describe('Company that runs the program'),
    portalSlug: programSchema.shape.portalSlug,
  })
  .meta({ id: 'MyProgram' });

export const myProgramDetailSchema = z
  .object({
    ...membership,
    merchantCompanyName: z.string().describe('Company that runs the program'),
    ...programSchema.pick({ website: true, landingPageUrl: true }).shape,
    commissionLimitMonths: z.int().nullable().describe('Null unless commissionType is recurring_limited'),
    cookieDuration: z.int().describe('Days after a click in which a sale is credited'),
    payoutThreshold: amountMinor.describe('Minimum payout'),
    payoutFrequency: z.enum(PAYOUT_FREQUENCIES).describe('How often the merchant intends to pay'),
    allowCustomDestinations: z.boolean().describe('Whether your links may lead to any page of the website and its subdomains'),
    allowedLandingPages: programSchema.shape.allowedLandingPages.describe('Pages of the website that your links may lead to'),
    termsUrl: programSchema.shape.termsUrl,
    pendingCommission: sums.pending,
    ...payoutInfoSchema.shape,
    companyName: stringOrNull.describe('Your company; always null: it is not asked for'),
    country: stringOrNull.describe('Your country; always null: it is not asked for'),
    taxIdType: stringOrNull.describe('Kind of the tax id; always null: it is not asked for'),
    taxId: stringOrNull.describe('Your tax id; always null: it is not asked for'),
    taxFormCompleted: z.boolean().describe('Whether you completed a tax form; always false: there is none'),
  })
  .meta({ id: 'MyProgramDetail' });

export type OverviewView = z.infer<typeof overviewSchema>;
export type MyProgramView = z.infer<typeof myProgramSchema>;
export type MyProgramDetailView = z.infer<typeof myProgramDetailSchema>;

type Unset = keyof PortalFields | 'isApproved' | 'isBlocked';

export type MyProgramRow = Stored<Omit<MyProgramView, Unset>, 'createdAt'> & PortalRow & { status: string };

/** What the affiliate has in one program, whether or not its currency is the main one. */
const toMembership = (ctx: Context, row: MyProgramRow) => ({
  affiliateId: row.affiliateId,
  programId: row.programId,
  programName: row.programName,
  programDescription: row.programDescription ?? null,
  ...toPortalFields(ctx, row),
  marketplaceLogoUrl: row.marketplaceLogoUrl ?? null,
  commissionType: row.commissionType,
  commissionPercent: row.commissionPercent,
  currency: row.currency,
  code: row.code,
  isApproved: row.status === 'approved',
  isBlocked: row.status === 'blocked',
  totalClicks: row.totalClicks,
  totalConversions: row.totalConversions,
  totalRevenue: row.totalRevenue,
  totalCommission: row.totalCommission,
  totalLeads: row.totalLeads,
  totalCustomers: row.totalCustomers,
  totalPaidOut: row.totalPaidOut,
  createdAt: toIso(row.createdAt),
});

export const toMyProgram = (ctx: Context, row: MyProgramRow): MyProgramView => ({
  ...toMembership(ctx, row),
  companyName: row.companyName,
  portalSlug: row.portalSlug ?? null,
});

/** Settings of the program that a list does not show. */
export type ProgramTerms = Pick<
  MyProgramDetailView,
  | 'website'
  | 'landingPageUrl'
  | 'commissionLimitMonths'
  | 'cookieDuration'
  | 'payoutThreshold'
  | 'payoutFrequency'
  | 'allowCustomDestinations'
  | 'allowedLandingPages'
  | 'termsUrl'
  | 'pendingCommission'
>;

export const toMyProgramDetail = (
  ctx: Context,
  row: MyProgramRow & ProgramTerms,
  payoutInfo: Awaited<ReturnType<typeof getPayoutInfo>>,
): MyProgramDetailView => ({
  ...toMembership(ctx, row),
  merchantCompanyName: row.companyName,
  website: row.website,
  landingPageUrl: row.landingPageUrl,
  commissionLimitMonths: row.commissionLimitMonths,
  cookieDuration: row.cookieDuration,
  payoutThreshold: row.payoutThreshold,
  payoutFrequency: row.payoutFrequency,
  allowCustomDestinations: row.allowCustomDestinations,
  allowedLandingPages: row.allowedLandingPages,
  termsUrl: row.termsUrl,
  pendingCommission: row.pendingCommission,
  ...payoutInfo,
  companyName: null,
  country: null,
  taxIdType: null,
  taxId: null,
  taxFormCompleted: false,
});

const toOverviewSums = (row: Parameters<typeof toSums>[0]) => {
  const { total, pending, available, inPayout, paid } = toSums(row);
  return {
    totalEarnings: total,
    pendingEarnings: pending,
    availableEarnings: available,
    inPayoutEarnings: inPayout,
    paidEarnings: paid,
  };
};

const toProgramStats = (row: MyProgramRow): OverviewView['programStats'][number] => ({
  programId: row.programId,
  programName: row.programName,
  currency: row.currency,
  totalClicks: row.totalClicks,
  totalConversions: row.totalConversions,
  totalRevenue: row.totalRevenue,
  totalCommission: row.totalCommission,
  totalLeads: row.totalLeads,
  totalCustomers: row.totalCustomers,
  totalPaidOut: row.totalPaidOut,
});

/** `rows` begins with the main currency. */
export const toOverview = (
  affiliateProfileId: string,
  rows: readonly CurrencySums[],
  programs: readonly MyProgramRow[],
): OverviewView => ({
  affiliateProfileId,
  programCount: rows.reduce((count, row) => count + row.programs, 0),
  activeProgramCount: rows.reduce((count, row) => count + row.activePrograms, 0),
  ...toOverviewSums(rows[0] ?? NO_SUMS),
  currency: rows[0]?.currency ?? null,
  byCurrency: rows.map((row) => ({ currency: row.currency, ...toOverviewSums(row) })),
  programStats: programs.map(toProgramStats),
});
