import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import {
  applicationRecordExample,
  approvedApplicationExample,
  blockedApplicationExample,
  declinedApplicationExample,
  ownApplicationExample,
  withdrawnApplicationExample,
} from './applications.examples.ts';
import { getApplication, listApplications, listOwnApplications } from './applications.queries.ts';
import {
  applicationRecordSchema,
  applicationSchema,
  applicationsQuery,
  ownApplicationSchema,
  ownApplicationsQuery,
  reviewBody,
} from './applications.wire.ts';
import { approveApplication, blockApplication, declineApplication, withdrawApplication } from './use-cases/application.ts';

const read = { tag: 'Applications', access: { keys: ['merchant'], scope: 'affiliates:read' } } as const;
const review = {
  tag: 'Applications',
  access: { keys: ['merchant'], scope: 'affiliates:manage' },
  params: idParams,
  body: reviewBody,
  reply: applicationSchema,
  reasons: ['ALREADY_DECIDED'],
} as const;

const ownRead = { tag: 'Me', access: { keys: ['affiliate'], scope: 'marketplace:read' } } as const;
const ownApply = { tag: 'Me', access: { keys: ['affiliate'], scope: 'marketplace:apply' } } as const;

export const applicationRoutes = [
  operation({
    ...read,
    id: 'listApplications',
    method: 'GET',
    path: '/applications',
    summary: 'List applications',
    description: 'Returns the applications to all your programs, decided ones included, newest first.',
    query: applicationsQuery,
    paged: true,
    reply: applicationRecordSchema,
    example: { data: [applicationRecordExample] },
    handle: ({ ctx, query }) => listApplications(ctx, query),
  }),
  operation({
    ...read,
    id: 'getApplication',
    method: 'GET',
    path: '/applications/{id}',
    summary: 'Retrieve an application',
    description: 'Returns who applied, what they wrote, what to look at before you decide, and until when.',
    params: idParams,
    reply: applicationRecordSchema,
    example: { data: applicationRecordExample },
    handle: ({ ctx, params }) => getApplication(ctx, params.id),
  }),
  operation({
    ...review,
    id: 'approveApplication',
    method: 'POST',
    path: '/applications/{id}/approve',
    summary: 'Approve an application',
    description:
      'The person becomes an affiliate with a code and a first link. The id of the affiliate is `affiliateId`. Applications to an archived program can only be declined or blocked.',
    reasons: ['ALREADY_DECIDED', 'BILLING_RESTRICTED', 'PROGRAM_INACTIVE'],
    example: { data: approvedApplicationExample, body: { note: 'Known from the trade fair' } },
    handle: ({ ctx, params, body }) => approveApplication(ctx, { id: params.id, note: body.note }),
  }),
  operation({
    ...review,
    id: 'declineApplication',
    method: 'POST',
    path: '/applications/{id}/decline',
    summary: 'Decline an application',
    description: 'The person may apply to this program again after 30 days.',
    example: { data: declinedApplicationExample, body: { note: 'No audience in our market' } },
    handle: ({ ctx, params, body }) => declineApplication(ctx, { id: params.id, note: body.note }),
  }),
  operation({
    ...review,
    id: 'blockApplication',
    method: 'POST',
    path: '/applications/{id}/block',
    summary: 'Block an applicant',
    description: 'The person can never apply to this program again. To let them in after all, add them as an affiliate.',
    example: { data: blockedApplicationExample, body: { note: 'Third account of the same person' } },
    handle: ({ ctx, params, body }) => blockApplication(ctx, { id: params.id, note: body.note }),
  }),
  operation({
    ...ownRead,
    id: 'listOwnApplications',
    method: 'GET',
    path: '/me/applications',
    summary: 'List your applications',
    description: 'Returns your applications to all programs, newest first.',
    query: ownApplicationsQuery,
    paged: true,
    reply: ownApplicationSchema,
    example: { data: [ownApplicationExample] },
    handle: ({ ctx, query }) => listOwnApplications(ctx, query),
  }),
  operation({
    ...ownApply,
    id: 'withdrawApplication',
    method: 'POST',
    path: '/me/applications/{id}/withdraw',
    summary: 'Withdraw an application',
    description: 'Only while it is pending. You may apply again at any time.',
    params: idParams,
    reply: ownApplicationSchema,
    reasons: ['ALREADY_DECIDED'],
    example: { data: withdrawnApplicationExample },
    handle: ({ ctx, params }) => withdrawApplication(ctx, { id: params.id }),
  }),
];
