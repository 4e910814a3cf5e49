import { operation } from '../../platform/http/operation.ts';
import { tokenParams } from '../invites/index.ts';
import { applyBody, applyParams, claimResultSchema, joinResultSchema, toClaimResult, toJoinResult } from './joining.wire.ts';
import { applyToProgram, claimInvite } from './use-cases/joining.ts';

const marketplace = { tag: 'Marketplace', access: { keys: ['affiliate'], scope: 'marketplace:apply' } } as const;

const APPLY_REASONS = ['AFFILIATE_BLOCKED', 'ALREADY_MEMBER', 'APPLICATION_PENDING', 'REAPPLY_LATER'] as const;
const INVITE_REASONS = ['INVITE_EMAIL_MISMATCH', 'INVITE_EXPIRED', 'INVITE_USED_UP', 'OWN_PROGRAM', 'PROGRAM_INACTIVE'] as const;
const CLAIM_REASONS = [...APPLY_REASONS, ...INVITE_REASONS, 'CODE_TAKEN'] as const;

const programId = '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604';
const joined = { applicationId: '0198f1c2-9a41-7c52-b1e8-3f90d2a7c415', affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927' };
const message = 'I write about gardening for 40,000 readers a month.';

const joinResultExample = {
  data: toJoinResult({ ...joined, status: 'pending', riskNotes: [] }, { programId, message }),
  body: { message },
};

const claimResultExample = { data: toClaimResult({ ...joined, status: 'auto_approved' }, programId) };

export const joiningRoutes = [
  operation({
    id: 'claimInvite',
    method: 'POST',
    path: '/invites/{token}/claim',
    tag: 'Invites',
    summary: 'Claim an invite',
    description:
      'Joins the program of the invite; with `skipOnboarding` at once, else as the program decides on applications. Claiming it again returns the same application and takes no further use. A merchant key joins with the profile that has the email address of the merchant, and never its own program.',
    access: { keys: ['affiliate', 'merchant'], scope: 'invites:claim' },
    params: tokenParams,
    reply: claimResultSchema,
    status: 201,
    reasons: CLAIM_REASONS,
    example: claimResultExample,
    handle: ({ ctx, params }) => claimInvite(ctx, params),
  }),
  operation({
    ...marketplace,
    id: 'applyToProgram',
    method: 'POST',
    path: '/marketplace/apply/{programId}',
    summary: 'Apply to a program',
    description:
      'For programs that are active and public and take applications; 404 for all others. After a declined application, the next one can follow 30 days later; after a withdrawn or expired one, at once.',
    params: applyParams,
    body: applyBody,
    reply: joinResultSchema,
    status: 201,
    reasons: APPLY_REASONS,
    example: joinResultExample,
    handle: ({ ctx, params, body }) => applyToProgram(ctx, { ...body, ...params }),
  }),
];
