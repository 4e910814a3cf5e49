import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { affiliateCodeSchema, changeCodeBody } from './codes.wire.ts';
import { affiliateCodeExample } from './links.examples.ts';
import { ownProgramQuery } from './links.wire.ts';
import { changeAffiliateCode, changeMyCode } from './use-cases/change-code.ts';

const changed = { body: changeCodeBody, reply: affiliateCodeSchema } as const;
const changedTo = (code: string) => ({ data: { ...affiliateCodeExample, code }, body: { code } });

export const codeRoutes = [
  operation({
    ...changed,
    id: 'changeMyCode',
    method: 'PATCH',
    path: '/me/code',
    tag: 'Me',
    access: { keys: ['affiliate'], scope: 'links:write', domain: true },
    summary: 'Change your referral code',
    description:
      'Once a day. Your first link gets the new code. Links and sales with an earlier code are still credited to you, and nobody else gets it.',
    query: ownProgramQuery,
    errors: ['NOT_FOUND'],
    reasons: ['AFFILIATE_BLOCKED', 'CODE_CHANGED_RECENTLY', 'CODE_TAKEN'],
    example: changedTo(affiliateCodeExample.code),
    handle: ({ ctx, query, body }) => changeMyCode(ctx, { programId: query.program_id, code: body.code }),
  }),
  operation({
    ...changed,
    id: 'changeAffiliateCode',
    method: 'PATCH',
    path: '/affiliates/{id}/code',
    tag: 'Affiliates',
    access: { keys: ['merchant'], scope: 'affiliates:manage' },
    summary: 'Change the referral code of an affiliate',
    description:
      'Once a day, whoever changed it. The first link of the affiliate gets the new code. Links and sales with an earlier code are still credited to the affiliate, and nobody else gets it.',
    params: idParams,
    reasons: ['CODE_CHANGED_RECENTLY', 'CODE_TAKEN'],
    example: changedTo('ada-reviews'),
    handle: ({ ctx, params, body }) => changeAffiliateCode(ctx, { affiliateId: params.id, code: body.code }),
  }),
];
