import type { MeView } from './me.wire.ts';

export const meExample: MeView = {
  key: {
    id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
    name: 'Backend',
    keyType: 'full',
    ownerType: 'merchant',
    scopes: ['programs:read', 'payouts:write'],
    prefix: 'ak_live_',
    lastFour: 'x7Qa',
    expiresAt: null,
  },
  owner: {
    merchantId: '0198f1c2-6f01-7a55-b1d4-0c8e92f7a310',
    companyName: 'Acme',
    email: 'ops@acme.example',
    billingTier: 'free',
    timezone: 'UTC',
    onboardingCompleted: false,
    onboardingStep: 1,
  },
  programs: [
    {
      id: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
      name: 'Acme Partners',
      status: 'active',
      marketplaceStatus: 'private',
      readiness: 'partial',
      website: 'https://acme.example',
      landingPageUrl: null,
      stripeConnectedAt: null,
    },
  ],
};
