import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import {
  affiliateDetailExample,
  affiliateExample,
  blockedAffiliateExample,
  trustedAffiliateExample,
  updatedAffiliateExample,
} from './affiliates.examples.ts';
import { getAffiliate, listAffiliates, listProgramAffiliates } from './affiliates.queries.ts';
import {
  affiliateDetailSchema,
  affiliateQuery,
  affiliateSchema,
  affiliatesQuery,
  blockBody,
  programAffiliatesQuery,
  trustBody,
  updateAffiliateBody,
} from './affiliates.wire.ts';
import { approveAffiliate, blockAffiliate, setAffiliateTrust, unblockAffiliate } from './use-cases/affiliate.ts';
import { updateAffiliate } from './use-cases/update-affiliate.ts';

const read = { tag: 'Affiliates', access: { keys: ['merchant'], scope: 'affiliates:read' } } as const;
const manage = { tag: 'Affiliates', access: { keys: ['merchant'], scope: 'affiliates:manage' } } as const;

export const affiliateRoutes = [
  operation({
    ...read,
    id: 'listAffiliates',
    method: 'GET',
    path: '/affiliates',
    summary: 'List affiliates',
    description: 'Returns the affiliates of all your programs. Blocked affiliates are excluded by default.',
    query: affiliatesQuery,
    paged: true,
    reply: affiliateSchema,
    example: { data: [affiliateExample] },
    handle: ({ ctx, query }) => listAffiliates(ctx, query),
  }),
  operation({
    ...read,
    id: 'listProgramAffiliates',
    method: 'GET',
    path: '/programs/{id}/affiliates',
    tag: 'Programs',
    summary: 'List affiliates of a program',
    description: 'Blocked affiliates are excluded by default.',
    params: idParams,
    query: programAffiliatesQuery,
    paged: true,
    reply: affiliateSchema,
    example: { data: [affiliateExample] },
    handle: ({ ctx, params, query }) => listProgramAffiliates(ctx, params.id, query),
  }),
  operation({
    ...read,
    id: 'getAffiliate',
    method: 'GET',
    path: '/affiliates/{id}',
    summary: 'Retrieve an affiliate',
    description: 'Pass `include=stats` to include balances.',
    params: idParams,
    query: affiliateQuery,
    reply: affiliateDetailSchema,
    example: { data: affiliateDetailExample },
    handle: ({ ctx, params, query }) => getAffiliate(ctx, params.id, query.include === 'stats'),
  }),
  operation({
    ...manage,
    id: 'updateAffiliate',
    method: 'PATCH',
    path: '/affiliates/{id}',
    summary: 'Update an affiliate',
    description:
      'Sets the commission percent of later sales, whether payouts to the affiliate can be created, data of your own, and payout details that you entered: of an affiliate who said themselves where they are paid, they are 409 `DETAILS_OWNED_BY_AFFILIATE`. The affiliate is told by email, and `detailsCooldownHours` of the merchant begin. Fields that are left out stay unchanged. A payout that exists already goes on as it was created: cancel it to stop it.',
    params: idParams,
    body: updateAffiliateBody,
    reply: affiliateDetailSchema,
    reasons: ['DETAILS_OWNED_BY_AFFILIATE', 'EXTERNAL_ID_TAKEN'],
    example: { data: updatedAffiliateExample, body: { commissionPercent: 32.5 } },
    handle: ({ ctx, params, body }) => updateAffiliate(ctx, { id: params.id, changes: body }),
  }),
  operation({
    ...manage,
    id: 'approveAffiliate',
    method: 'POST',
    path: '/affiliates/{id}/approve',
    summary: 'Approve an affiliate (legacy)',
    description:
      'Returns the affiliate, who is approved already. To approve an applicant, use `POST /applications/{id}/approve`.',
    params: idParams,
    reply: affiliateSchema,
    reasons: ['AFFILIATE_BLOCKED'],
    example: { data: affiliateExample },
    handle: ({ ctx, params }) => approveAffiliate(ctx, { id: params.id }),
  }),
  operation({
    ...manage,
    id: 'blockAffiliate',
    method: 'POST',
    path: '/affiliates/{id}/block',
    summary: 'Block an affiliate',
    description:
      'New sales of the affiliate are credited to nobody, pending commissions stay pending, and no payout can be created.',
    params: idParams,
    body: blockBody,
    reply: affiliateSchema,
    example: { data: blockedAffiliateExample, body: { reason: 'Bids on our brand name' } },
    handle: ({ ctx, params, body }) => blockAffiliate(ctx, { id: params.id, reason: body.reason }),
  }),
  operation({
    ...manage,
    id: 'unblockAffiliate',
    method: 'POST',
    path: '/affiliates/{id}/unblock',
    summary: 'Unblock an affiliate',
    description: 'The affiliate keeps their code, balances and totals. Commissions that became due meanwhile are approved.',
    params: idParams,
    reply: affiliateSchema,
    example: { data: affiliateExample },
    handle: ({ ctx, params }) => unblockAffiliate(ctx, { id: params.id }),
  }),
  operation({
    ...manage,
    id: 'setAffiliateTrust',
    method: 'POST',
    path: '/affiliates/{id}/trust',
    summary: 'Set the trust tier of an affiliate',
    description:
      'Tiers also rise by record: `trusted` after 60 days and 20 approved conversions, `verified` after 180 days and 100. A confirmed flag takes an affiliate back to `new`, and so does this call with that tier: the record then counts anew.',
    params: idParams,
    body: trustBody,
    reply: affiliateSchema,
    example: { data: trustedAffiliateExample, body: { tier: 'trusted' } },
    handle: ({ ctx, params, body }) => setAffiliateTrust(ctx, { id: params.id, tier: body.tier }),
  }),
];
