import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import { affiliateDetailExample } from '../affiliates/index.ts';
import { type ApplicationRecord, type ApplicationView, applicationSchema, type OwnApplicationView } from './applications.wire.ts';

export const applicationExample: ApplicationView = {
  id: '0198f1c2-9a41-7c52-b1e8-3f90d2a7c415',
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  userId: '0198f1c2-9c1f-7b40-9e72-1d5a8c04e6b3',
  name: 'Ada Byron',
  email: 'ada@blog.example',
  status: 'pending',
  source: 'api',
  message: 'I write about gardening for 40,000 readers a month.',
  answers: [],
  acceptedTerms: null,
  note: null,
  riskNotes: ['duplicate_payout_details'],
  createdAt: '2026-01-15T09:12:00.000Z',
  dueAt: '2026-02-14T09:12:00.000Z',
  decidedAt: null,
};

export const applicationRecordExample: ApplicationRecord = {
  ...applicationExample,
  situation: { state: 'to_decide', reason: null, waitsFor: 'reviewer', until: applicationExample.dueAt, next: 'decide' },
};

const decided = { dueAt: null, decidedAt: '2026-01-16T14:05:00.000Z' };

export const approvedApplicationExample: ApplicationView = {
  ...applicationExample,
  ...decided,
  status: 'approved',
  note: 'Known from the trade fair',
};

export const declinedApplicationExample: ApplicationView = {
  ...applicationExample,
  ...decided,
  status: 'declined',
  note: 'No audience in our market',
};

export const blockedApplicationExample: ApplicationView = {
  ...applicationExample,
  ...decided,
  status: 'blocked',
  note: 'Third account of the same person',
};

export const ownApplicationExample: OwnApplicationView = {
  id: applicationExample.id,
  affiliateId: applicationExample.affiliateId,
  programId: applicationExample.programId,
  programName: 'Acme Partners',
  programStatus: 'active',
  status: 'pending',
  source: 'api',
  message: applicationExample.message,
  createdAt: applicationExample.createdAt,
  decidedAt: null,
  reapplyAt: null,
};

export const withdrawnApplicationExample: OwnApplicationView = {
  ...ownApplicationExample,
  status: 'withdrawn',
  decidedAt: decided.decidedAt,
};

const { stats: _, ...affiliate } = affiliateDetailExample;

export const addAffiliateExample = {
  data: affiliate,
  body: {
    programId: affiliate.programId,
    email: affiliate.email,
    name: 'Ada Byron',
    code: affiliate.code,
    paypalEmail: affiliate.email,
  },
};

export const APPLICATION_EVENTS = {
  'affiliate.joined': eventDefinition(
    'A person applied to a program, claimed an invite or was added by the merchant.',
    applicationSchema,
    applicationExample,
  ),
  'application.submitted': eventDefinition(
    'A person applied to a program or claimed an invite. `pending`: it waits for your decision.',
    applicationSchema,
    applicationExample,
  ),
  'application.decided': eventDefinition(
    'An application was approved, by itself too, declined, blocked or withdrawn, or it expired.',
    applicationSchema,
    approvedApplicationExample,
  ),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof APPLICATION_EVENTS> {}
}
