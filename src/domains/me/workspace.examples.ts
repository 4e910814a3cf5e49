import type { EarningsView } from './earnings.wire.ts';
import type { MyProgramDetailView, MyProgramView, OverviewView } from './workspace.wire.ts';

const totals = {
  totalClicks: 412,
  totalConversions: 9,
  totalRevenue: 88_200,
  totalCommission: 22_050,
  totalLeads: 14,
  totalCustomers: 7,
  totalPaidOut: 10_000,
};

const membership = {
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  programName: 'Acme Partners',
  programDescription: 'Recommend Acme to your readers',
  portalName: 'Acme Circle',
  portalTheme: '#0b6e4f',
  portalLogo: null,
  marketplaceLogoUrl: null,
  commissionType: 'recurring',
  commissionPercent: 25,
  currency: 'usd',
  code: 'adabyron',
  isApproved: true,
  isBlocked: false,
  ...totals,
  createdAt: '2026-01-16T14:05:00.000Z',
} as const;

export const myProgramExample: MyProgramView = { ...membership, companyName: 'Acme', portalSlug: 'acme' };

export const myProgramDetailExample: MyProgramDetailView = {
  ...membership,
  merchantCompanyName: 'Acme',
  website: 'https://acme.example',
  landingPageUrl: null,
  commissionLimitMonths: null,
  cookieDuration: 30,
  payoutThreshold: 5_000,
  payoutFrequency: 'monthly',
  allowCustomDestinations: false,
  allowedLandingPages: [{ path: '/pricing', label: 'Pricing' }],
  termsUrl: null,
  pendingCommission: 4_900,
  payoutMethod: 'paypal',
  paypalEmail: 'ada@blog.example',
  bankAccountHolder: null,
  bankIban: null,
  bankBic: null,
  firstName: 'Ada',
  lastName: 'Byron',
  addressLine1: null,
  addressLine2: null,
  city: null,
  state: null,
  postalCode: null,
  vatId: null,
  detailsRejected: null,
  detailsCooldownUntil: null,
  companyName: null,
  country: null,
  taxIdType: null,
  taxId: null,
  taxFormCompleted: false,
};

const amounts = {
  totalEarnings: 22_050,
  pendingEarnings: 4_900,
  availableEarnings: 7_150,
  inPayoutEarnings: 0,
  paidEarnings: 10_000,
};

export const overviewExample: OverviewView = {
  affiliateProfileId: '0198f1c2-9c1f-7b40-9e72-1d5a8c04e6b2',
  programCount: 1,
  activeProgramCount: 1,
  ...amounts,
  currency: 'usd',
  byCurrency: [{ currency: 'usd', ...amounts }],
  programStats: [{ programId: membership.programId, programName: membership.programName, currency: 'usd', ...totals }],
};

const sums = { total: 22_050, pending: 4_900, available: 7_150, inPayout: 0, paid: 10_000, held: { dispute: 0, flag: 0 } };

export const earningsExample: EarningsView = { ...sums, currency: 'usd', byCurrency: [{ currency: 'usd', ...sums }] };
