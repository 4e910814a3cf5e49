import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { affiliateExample } from './affiliates.examples.ts';
import { getAffiliate, listAffiliates, listProgramAffiliates } from './affiliates.queries.ts';
import {
  affiliateDetailSchema,
  affiliateQuery,
  affiliateSchema,
  affiliatesQuery,
  blockBody,
  programAffiliatesQuery,
} from './affiliates.wire.ts';
import { blockAffiliate, unblockAffiliate } from './use-cases/block-affiliate.ts';

const blockedExample = {
  ...affiliateExample,
  status: 'blocked' as const,
  blockedAt: '2026-02-01T08:00:00.000Z',
  blockedReason: 'Bids on our brand name',
};

export const affiliateRoutes: Operation[] = [
  operation({
    id: 'listAffiliates',
    method: 'GET',
    path: '/affiliates',
    tag: 'Affiliates',
    summary: 'List your affiliates; blocked ones only when asked for',
    access: { keys: ['merchant'], scope: 'affiliates:read' },
    query: affiliatesQuery,
    paged: true,
    reply: affiliateSchema,
    example: { data: [affiliateExample] },
    handle: ({ ctx, query }) => listAffiliates(ctx, query),
  }),
  operation({
    id: 'listProgramAffiliates',
    method: 'GET',
    path: '/programs/{id}/affiliates',
    tag: 'Programs',
    summary: 'List the affiliates of a program; blocked ones only when asked for',
    access: { keys: ['merchant'], scope: 'affiliates:read' },
    params: idParams,
    query: programAffiliatesQuery,
    paged: true,
    reply: affiliateSchema,
    example: { data: [affiliateExample] },
    handle: ({ ctx, params, query }) => listProgramAffiliates(ctx, params.id, query),
  }),
  operation({
    id: 'getAffiliate',
    method: 'GET',
    path: '/affiliates/{id}',
    tag: 'Affiliates',
    summary: 'Read an affiliate, with balances when include=stats',
    access: { keys: ['merchant'], scope: 'affiliates:read' },
    params: idParams,
    query: affiliateQuery,
    reply: affiliateDetailSchema,
    example: {
      data: {
        ...affiliateExample,
        stats: { currency: 'usd', totalRevenue: 88_200, pending: 4_900, payable: 7_150, inPayout: 0, paid: 10_000 },
      },
    },
    handle: ({ ctx, params, query }) => getAffiliate(ctx, params.id, query.include === 'stats'),
  }),
  operation({
    id: 'blockAffiliate',
    method: 'POST',
    path: '/affiliates/{id}/block',
    tag: 'Affiliates',
    summary: 'Block an affiliate: links stop counting, payable money is frozen',
    access: { keys: ['merchant'], scope: 'affiliates:manage' },
    params: idParams,
    body: blockBody,
    reply: affiliateSchema,
    example: { data: blockedExample, body: { reason: 'Bids on our brand name' } },
    handle: ({ ctx, params, body }) => blockAffiliate(ctx, { id: params.id, reason: body.reason }),
  }),
  operation({
    id: 'unblockAffiliate',
    method: 'POST',
    path: '/affiliates/{id}/unblock',
    tag: 'Affiliates',
    summary: 'Unblock an affiliate with all that they had',
    access: { keys: ['merchant'], scope: 'affiliates:manage' },
    params: idParams,
    reply: affiliateSchema,
    example: { data: affiliateExample },
    handle: ({ ctx, params }) => unblockAffiliate(ctx, { id: params.id }),
  }),
];
