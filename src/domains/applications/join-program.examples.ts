import { toClaimResult, toJoinResult } from './joining.wire.ts';
import type { ProgramToJoinView } from './program-to-join.wire.ts';

export const programToJoinExample: ProgramToJoinView = {
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  programName: 'Acme Partners',
  companyName: 'Acme',
  portalName: 'Acme Circle',
  portalTheme: '#0b6e4f',
  portalLogo: null,
  description: null,
  website: 'https://acme.example',
  termsUrl: 'https://acme.example/terms',
  termsVersion: '5f0c9a7e2b604d18',
  fields: [{ label: 'Where do you publish?', isRequired: true }],
  commissionType: 'recurring_limited',
  commissionPercent: 25,
  commissionLimitMonths: 12,
  commissionHoldDays: 30,
  payoutThreshold: 5_000,
  payoutFrequency: 'monthly',
  cookieDuration: 60,
  currency: 'usd',
  isOpen: true,
  isReviewed: false,
};

export const startedJoiningExample = {
  data: { id: '0198f1c2-0d40-7e6f-8084-61b29d5e9f73', expiresAt: '2026-01-16T14:15:00.000Z' },
  body: { email: 'ada@blog.example', name: 'Ada Byron' },
};

const { programId, termsVersion } = programToJoinExample;
const message = 'I write about gardening for 40,000 readers a month.';

const joined = {
  applicationId: '0198f1c2-9a41-7c52-b1e8-3f90d2a7c415',
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  status: 'auto_approved',
} as const;

export const joinedExample = {
  data: toJoinResult({ ...joined, riskNotes: [] }, { programId, message }),
  body: { termsVersion, message, answers: ['https://blog.example'] },
};

export const acceptedInviteExample = { data: toClaimResult(joined, programId), body: { termsVersion } };
