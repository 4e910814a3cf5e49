import type { InviteView, PublicInviteView } from './invites.wire.ts';

export const inviteExample: InviteView = {
  id: '0198f1c2-b1e0-7c44-8a27-9d3f50e6c718',
  token: 'inv_5f0c9a7e2b604d18c3e7f9a2b5d8e1f4a7c0b3d6',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  email: 'ada@blog.example',
  name: 'Ada, met at the conference',
  isPublic: false,
  usageLimit: 1,
  usageCount: 0,
  trackingCode: 'ada',
  skipOnboarding: true,
  status: 'open',
  expiresAt: '2026-02-15T14:00:00.000Z',
  createdAt: '2026-01-16T14:00:00.000Z',
};

export const affiliateInviteExample: InviteView = { ...inviteExample, name: null, trackingCode: null };

export const createdInviteExample = {
  data: inviteExample,
  body: { email: 'ada@blog.example', name: 'Ada, met at the conference', trackingCode: 'ada', skipOnboarding: true },
};

export const publicInviteExample: PublicInviteView = {
  token: inviteExample.token,
  programId: inviteExample.programId,
  programName: 'Acme Partners',
  companyName: 'Acme',
  portalName: 'Acme Circle',
  portalTheme: '#0b6e4f',
  portalLogo: null,
  programDescription: null,
  website: 'https://acme.example',
  termsUrl: null,
  commissionType: 'recurring_limited',
  commissionPercent: 25,
  commissionLimitMonths: 12,
  currency: 'usd',
  email: '',
  isForOnePerson: true,
  status: 'open',
  expiresAt: inviteExample.expiresAt,
  createdAt: inviteExample.createdAt,
};
