import type { MarketplaceProgramView } from './marketplace.wire.ts';

export const marketplaceProgramExample: MarketplaceProgramView = {
  id: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  name: 'Acme Partners',
  companyName: 'Acme',
  description: 'Project planning for small teams',
  category: 'Productivity',
  logoUrl: 'https://acme.example/logo.png',
  website: 'https://acme.example',
  termsUrl: null,
  commissionType: 'recurring_limited',
  commissionPercent: 25,
  commissionLimitMonths: 12,
  cookieDuration: 30,
  currency: 'usd',
  epc: 0.4213,
  epcMinor: 42.13,
  conversionRate: 2.18,
  applicationAccess: 'open',
  createdAt: '2026-01-15T09:30:00.000Z',
};
