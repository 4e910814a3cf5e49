import { operation } from '../../platform/http/operation.ts';
import { affiliateDetailSchema } from '../affiliates/index.ts';
import { addAffiliateExample } from './applications.examples.ts';
import { addAffiliateBody } from './applications.wire.ts';
import { addAffiliate } from './use-cases/add-affiliate.ts';

const manage = { tag: 'Affiliates', access: { keys: ['merchant'], scope: 'affiliates:manage' } } as const;

export const addAffiliateRoutes = [
  operation({
    ...manage,
    id: 'addAffiliate',
    method: 'POST',
    path: '/affiliates',
    summary: 'Add an affiliate',
    description:
      'Makes a person an approved affiliate of a program; a waiting or blocked application of theirs is approved. What you enter belongs to this membership and pays only your payouts. If the person is known already, their name and payout details are neither changed nor shown to you until they join with a key of their own.',
    body: addAffiliateBody,
    reply: affiliateDetailSchema,
    status: 201,
    errors: ['NOT_FOUND'],
    reasons: ['ALREADY_MEMBER', 'BILLING_RESTRICTED', 'CODE_TAKEN', 'EXTERNAL_ID_TAKEN', 'PROGRAM_INACTIVE'],
    example: addAffiliateExample,
    handle: ({ ctx, body }) => addAffiliate(ctx, body),
  }),
];
