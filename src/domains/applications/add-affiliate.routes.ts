import { type Operation, operation } from '../../platform/http/operation.ts';
import { AFFILIATE_EVENTS } from '../affiliates/index.ts';
import { addAffiliateBody } from './applications.wire.ts';
import { addAffiliate } from './use-cases/add-affiliate.ts';

/** An affiliate as REST returns it. */
const { schema, example } = AFFILIATE_EVENTS['affiliate.approved'];

export const addAffiliateRoutes: Operation[] = [
  operation({
    id: 'addAffiliate',
    method: 'POST',
    path: '/affiliates',
    tag: 'Affiliates',
    summary: 'Add an affiliate',
    description:
      'Makes a person an approved affiliate of a program; a waiting or blocked application of theirs is approved. What you enter belongs to this membership and pays only your payouts. If the person is known already, their name and payout details are neither changed nor shown to you until they join with a key of their own.',
    access: { keys: ['merchant'], scope: 'affiliates:manage' },
    body: addAffiliateBody,
    reply: schema,
    status: 201,
    errors: ['NOT_FOUND'],
    reasons: ['ALREADY_MEMBER', 'CODE_TAKEN'],
    example: {
      data: example,
      body: { programId: example.programId, email: example.email, name: 'Ada Byron', code: example.code },
    },
    handle: ({ ctx, body }) => addAffiliate(ctx, body),
  }),
];
