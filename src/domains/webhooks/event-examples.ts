import type { EventType } from '../../contracts/events.ts';

const PROGRAM_ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e01';
const MERCHANT_ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e02';
const AFFILIATE_ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e03';
const USER_ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e04';
const CREATED_AT = '2026-01-15T09:30:00.000Z';
const LATER = '2026-02-01T08:00:00.000Z';

const program = {
  id: PROGRAM_ID,
  merchantId: MERCHANT_ID,
  name: 'Acme Partners',
  description: 'Earn 20 % on every sale you send us.',
  slug: 'acme-partners',
  website: 'https://acme.example.com',
  landingPageUrl: null,
  portalSlug: null,
  status: 'active',
  marketplaceStatus: 'private',
  applicationAccess: 'open',
  marketplaceCategory: null,
  marketplaceDescription: null,
  marketplaceLogoUrl: null,
  commissionType: 'one_time',
  commissionPercent: 20,
  commissionLimitMonths: null,
  commissionHoldDays: 30,
  cookieDuration: 30,
  trackingRequiresConsent: null,
  trackingParamAliases: null,
  payoutThreshold: 5000,
  payoutFrequency: 'monthly',
  currency: 'usd',
  autoApproveAffiliates: false,
  termsUrl: null,
  stripeAccountId: null,
  stripeConnectedAt: null,
  createdAt: CREATED_AT,
  updatedAt: CREATED_AT,
};

const affiliate = {
  id: AFFILIATE_ID,
  userId: USER_ID,
  programId: PROGRAM_ID,
  name: 'Jane Doe',
  email: 'jane@example.com',
  code: 'jane',
  status: 'approved',
  source: 'browser',
  totalClicks: 0,
  totalConversions: 0,
  totalRevenue: 0,
  totalEarnings: 0,
  blockedAt: null,
  blockedReason: null,
  createdAt: CREATED_AT,
};

const conversion = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e05',
  affiliateId: AFFILIATE_ID,
  programId: PROGRAM_ID,
  amount: 10_000,
  refundedAmount: 0,
  commission: 2_000,
  commissionAmount: 2_000,
  currency: 'usd',
  status: 'pending',
  method: 'cookie',
  stripeSessionId: null,
  createdAt: CREATED_AT,
};

const payout = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e06',
  affiliateId: AFFILIATE_ID,
  programId: PROGRAM_ID,
  amount: 12_500,
  currency: 'usd',
  status: 'pending',
  method: 'paypal',
  rail: 'manual',
  notes: null,
  retryOf: null,
  needsAttention: false,
  failureCode: null,
  createdAt: CREATED_AT,
  processingAt: null,
  completedAt: null,
  failedAt: null,
};

const flag = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e07',
  affiliateId: AFFILIATE_ID,
  type: 'self_referral',
  status: 'dismissed',
  details: { clicks: 3 },
  note: 'Checked with the affiliate.',
  createdAt: CREATED_AT,
  resolvedAt: LATER,
};

/** The documented example of each event's `data`; a test delivery carries it. */
export const EVENT_EXAMPLES: Readonly<Record<EventType, Readonly<Record<string, unknown>>>> = {
  'program.created': program,
  'program.updated': { ...program, name: 'Acme Friends', updatedAt: LATER, updatedFields: ['name'] },
  'affiliate.joined': affiliate,
  'affiliate.approved': affiliate,
  'affiliate.blocked': { ...affiliate, status: 'blocked', blockedAt: LATER, blockedReason: 'Paid search on the brand.' },
  'affiliate.unblocked': affiliate,
  'conversion.created': conversion,
  'conversion.refunded': { ...conversion, status: 'refunded', refundedAmount: 10_000, commission: 0, commissionAmount: 0 },
  'payout.created': payout,
  'payout.processing': { ...payout, status: 'processing', processingAt: CREATED_AT },
  'payout.completed': { ...payout, status: 'completed', processingAt: CREATED_AT, completedAt: LATER },
  'payout.failed': { ...payout, status: 'failed', processingAt: CREATED_AT, failedAt: LATER, failureCode: 'account_closed' },
  'flag.resolved': flag,
};
