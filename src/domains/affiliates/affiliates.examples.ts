import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import { type AffiliateDetailView, type AffiliateView, affiliateSchema } from './affiliates.wire.ts';

export const affiliateExample: AffiliateView = {
  id: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  userId: '0198f1c2-9c1f-7b40-9e72-1d5a8c04e6b3',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  name: 'Ada Byron',
  email: 'ada@blog.example',
  code: 'adabyron',
  status: 'approved',
  source: 'invite',
  totalClicks: 412,
  totalConversions: 9,
  totalRevenue: 88_200,
  totalEarnings: 22_050,
  blockedAt: null,
  blockedReason: null,
  commissionPercent: null,
  payoutsPaused: false,
  trustTier: 'new',
  externalId: 'partner-17',
  metadata: { segment: 'blogs' },
  createdAt: '2026-01-16T14:05:00.000Z',
};

export const affiliateDetailExample: AffiliateDetailView = {
  ...affiliateExample,
  payoutDetails: {
    payoutMethod: 'paypal',
    paypalEmail: 'ada@blog.example',
    bankAccountHolder: null,
    bankIban: null,
    bankBic: null,
  },
  stats: { currency: 'usd', totalRevenue: 88_200, pending: 4_900, payable: 7_150, inPayout: 0, paid: 10_000 },
};

const { stats: _, ...detail } = affiliateDetailExample;

export const updatedAffiliateExample: AffiliateDetailView = { ...detail, commissionPercent: 32.5 };

export const trustedAffiliateExample: AffiliateView = { ...affiliateExample, trustTier: 'trusted' };

export const blockedAffiliateExample: AffiliateView = {
  ...affiliateExample,
  status: 'blocked',
  blockedAt: '2026-02-01T08:00:00.000Z',
  blockedReason: 'Bids on our brand name',
};

export const AFFILIATE_EVENTS = {
  'affiliate.approved': eventDefinition('An affiliate was approved.', affiliateSchema, affiliateExample),
  'affiliate.blocked': eventDefinition('An affiliate was blocked.', affiliateSchema, blockedAffiliateExample),
  'affiliate.unblocked': eventDefinition('An affiliate was unblocked.', affiliateSchema, affiliateExample),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof AFFILIATE_EVENTS> {}
}
