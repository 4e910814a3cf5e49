import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import type { EventSecretView } from './event-secret.wire.ts';
import type { ProgramMarketplaceView } from './program-marketplace.wire.ts';
import type { ProgramPortalView } from './program-portal.wire.ts';
import { type ProgramView, programSchema, programUpdatedSchema } from './programs.wire.ts';

export const programExample: ProgramView = {
  id: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  merchantId: '0198f1c2-6f01-7a55-b1d4-0c8e92f7a310',
  name: 'Acme Partners',
  description: null,
  slug: 'acme-partners-a7e2b604',
  website: 'https://acme.example',
  landingPageUrl: null,
  allowedLandingPages: [{ path: '/pricing', label: 'Pricing' }],
  allowCustomDestinations: false,
  portalSlug: 'acme',
  applicationFields: [{ label: 'Where do you publish?', isRequired: true }],
  status: 'active',
  marketplaceStatus: 'private',
  applicationAccess: 'open',
  marketplaceCategory: null,
  marketplaceDescription: null,
  marketplaceLogoUrl: null,
  commissionType: 'recurring_limited',
  commissionPercent: 25,
  commissionLimitMonths: 12,
  commissionHoldDays: 30,
  cookieDuration: 30,
  trackingRequiresConsent: null,
  trackingParamAliases: null,
  embedOrigins: [],
  payoutThreshold: 5000,
  payoutFrequency: 'monthly',
  autoPayouts: { enabled: false, requireConfirmation: true },
  currency: 'usd',
  autoApproveAffiliates: false,
  reviewNewAffiliates: false,
  joinCustomersByEmail: true,
  termsUrl: null,
  stripeAccountId: null,
  stripeConnectedAt: null,
  createdAt: '2026-01-15T09:30:00.000Z',
  updatedAt: '2026-01-15T09:30:00.000Z',
};

export const createdProgramExample = {
  data: programExample,
  body: {
    name: 'Acme Partners',
    commissionType: 'recurring_limited',
    commissionPercent: 25,
    website: 'https://acme.example',
    allowedLandingPages: [{ path: '/pricing', label: 'Pricing' }],
    portalSlug: 'acme',
    applicationFields: [{ label: 'Where do you publish?', isRequired: true }],
  },
};

export const updatedProgramExample = {
  data: { ...programExample, status: 'paused' as const },
  body: { status: 'paused' },
};

export const programMarketplaceExample: { data: ProgramMarketplaceView; body: unknown } = {
  data: {
    programId: programExample.id,
    status: 'public',
    category: 'Productivity',
    description: 'Project planning for small teams',
    logoUrl: 'https://acme.example/logo.png',
    readiness: 'ready',
    isListed: true,
  },
  body: { status: 'public', category: 'Productivity', description: 'Project planning for small teams' },
};

export const programPortalExample: { data: ProgramPortalView; body: unknown } = {
  data: {
    programId: programExample.id,
    name: 'Acme Circle',
    accentColor: '#0b6e4f',
    logo: { url: 'https://tributary.example/logos/0198f1c2-7d31-7b06-9c55-4e0a83d1f2b7', width: 240, height: 80 },
    domain: null,
    joinUrl: 'https://tributary.example/join/acme',
    updatedAt: '2026-01-15T09:30:00.000Z',
  },
  body: { name: 'Acme Circle', accentColor: '#0b6e4f' },
};

export const portalDomainExample: { data: ProgramPortalView; body: unknown } = {
  data: {
    ...programPortalExample.data,
    domain: {
      host: 'partners.acme.example',
      isVerified: false,
      record: {
        type: 'TXT',
        name: '_tributary.partners.acme.example',
        content: 'tributary=Zk1qT0h5Vm5sR3dXbUp4Y2F0UjhQc0tEdUxqZ0VvQmk',
      },
      verifiedAt: null,
      missingSince: null,
    },
  },
  body: { host: 'partners.acme.example' },
};

export const eventSecretExample: EventSecretView = {
  signingSecret: 'whsec_…',
  secretLastFour: 'kQ8=',
  previousExpiresAt: '2026-01-16T09:30:00.000Z',
};

export const stripeConnectExample = {
  data: {
    connected: false,
    method: 'oauth_url' as const,
    programId: programExample.id,
    authUrl: 'https://tributary.example/api/integrations/stripe/oauth/start?state=0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e21.5d41402a',
    message: 'Open authUrl in a browser, grant access to your Stripe account, and confirm it.',
  },
  body: { method: 'oauth_url' as const },
};

export const PROGRAM_EVENTS = {
  'program.created': eventDefinition('A program was created.', programSchema, programExample),
  'program.updated': eventDefinition('Settings or status of a program changed.', programUpdatedSchema, {
    ...programExample,
    name: 'Acme Friends',
    updatedAt: '2026-02-01T08:00:00.000Z',
    updatedFields: ['name'],
  }),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof PROGRAM_EVENTS> {}
}
