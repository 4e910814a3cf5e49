import { z } from 'zod';
import { COMMISSION_TYPES, PAYOUT_FREQUENCIES } from '../../contracts/programs.ts';
import { type Stored, toIso } from '../../platform/database/sql.ts';
import { amountMinor, storedUuid, timestamp } from '../../platform/http/schemas.ts';
import { type getPayoutInfo, payoutInfoSchema } from '../affiliates/index.ts';

const days = z.int().meta({ description: 'Days' });

const totals = {
  totalClicks: z.int(),
  totalConversions: z.int(),
  totalRevenue: amountMinor,
  totalCommission: amountMinor,
  totalPaidOut: amountMinor,
};

const earnings = {
  totalEarnings: amountMinor,
  pendingEarnings: amountMinor,
  availableEarnings: amountMinor,
  inPayoutEarnings: amountMinor,
  paidEarnings: amountMinor,
};

/** The amounts at the top are in `currency`, that of the most recent conversion: they are never summed across currencies. */
export const overviewSchema = z
  .object({
    affiliateProfileId: storedUuid,
    programCount: z.int(),
    activeProgramCount: z.int(),
    ...earnings,
    currency: z.string().nullable(),
    byCurrency: z.array(z.object({ currency: z.string(), ...earnings })),
    programStats: z.array(z.object({ programId: storedUuid, programName: z.string(), currency: z.string(), ...totals })),
  })
  .meta({ id: 'Overview' });

const sums = { total: amountMinor, pending: amountMinor, available: amountMinor, inPayout: amountMinor, paid: amountMinor };

export const earningsSchema = z
  .object({ ...sums, currency: z.string().nullable(), byCurrency: z.array(z.object({ currency: z.string(), ...sums })) })
  .meta({ id: 'Earnings' });

const membership = {
  affiliateId: storedUuid,
  programId: storedUuid,
  programName: z.string(),
  programDescription: z.string().nullable(),
  portalTheme: z.string().nullable(),
  marketplaceLogoUrl: z.string().nullable(),
  commissionType: z.enum(COMMISSION_TYPES),
  commissionPercent: z.number(),
  currency: z.string(),
  code: z.string(),
  isApproved: z.boolean(),
  isBlocked: z.boolean(),
  ...totals,
  createdAt: timestamp,
};

export const myProgramSchema = z
  .object({ ...membership, companyName: z.string(), portalSlug: z.string().nullable() })
  .meta({ id: 'MyProgram' });

export const myProgramDetailSchema = z
  .object({
    ...membership,
    merchantCompanyName: z.string(),
    website: z.string().nullable(),
    landingPageUrl: z.string().nullable(),
    commissionLimitMonths: z.int().nullable().meta({ description: 'Null unless commissionType is recurring_limited' }),
    cookieDuration: days,
    payoutThreshold: amountMinor,
    payoutFrequency: z.enum(PAYOUT_FREQUENCIES),
    allowCustomDestinations: z.boolean(),
    allowedLandingPages: z.array(z.object({ path: z.string(), label: z.string() })),
    termsUrl: z.string().nullable(),
    pendingCommission: amountMinor,
    ...payoutInfoSchema.shape,
    companyName: z.string().nullable(),
    country: z.string().nullable(),
    taxIdType: z.string().nullable(),
    taxId: z.string().nullable(),
    taxFormCompleted: z.boolean(),
  })
  .meta({ id: 'MyProgramDetail' });

export type OverviewView = z.infer<typeof overviewSchema>;
export type EarningsView = z.infer<typeof earningsSchema>;
export type MyProgramView = z.infer<typeof myProgramSchema>;
export type MyProgramDetailView = z.infer<typeof myProgramDetailSchema>;

type Unset = 'portalTheme' | 'isApproved' | 'isBlocked';

export type MyProgramRow = Stored<Omit<MyProgramView, Unset>, 'createdAt'> & { status: string };

/** What the affiliate has in one program, whether or not its currency is the main one. */
const toMembership = (row: MyProgramRow) => ({
  affiliateId: row.affiliateId,
  programId: row.programId,
  programName: row.programName,
  programDescription: row.programDescription ?? null,
  portalTheme: null,
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
  totalPaidOut: row.totalPaidOut,
  createdAt: toIso(row.createdAt),
});

export const toMyProgram = (row: MyProgramRow): MyProgramView => ({
  ...toMembership(row),
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
  row: MyProgramRow & ProgramTerms,
  payoutInfo: Awaited<ReturnType<typeof getPayoutInfo>>,
): MyProgramDetailView => ({
  ...toMembership(row),
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

/** Of one currency, from the ledger. */
export interface CurrencySums {
  currency: string;
  programs: number;
  activePrograms: number;
  pending: number;
  available: number;
  inPayout: number;
  paid: number;
}

const NONE = { pending: 0, available: 0, inPayout: 0, paid: 0 };

const toSums = ({ pending, available, inPayout, paid }: Omit<CurrencySums, 'currency' | 'programs' | 'activePrograms'>) => ({
  total: pending + available + inPayout + paid,
  pending,
  available,
  inPayout,
  paid,
});

/** `rows` begins with the main currency. */
export const toEarnings = (rows: readonly CurrencySums[]): EarningsView => ({
  ...toSums(rows[0] ?? NONE),
  currency: rows[0]?.currency ?? null,
  byCurrency: rows.map((row) => ({ currency: row.currency, ...toSums(row) })),
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
  ...toOverviewSums(rows[0] ?? NONE),
  currency: rows[0]?.currency ?? null,
  byCurrency: rows.map((row) => ({ currency: row.currency, ...toOverviewSums(row) })),
  programStats: programs.map(toProgramStats),
});
