import { z } from 'zod';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { affiliateInviteExample, createdInviteExample, inviteExample, publicInviteExample } from './invites.examples.ts';
import { getInvite, listInvites } from './invites.queries.ts';
import { createInviteBody, inviteParams, inviteSchema, publicInviteSchema, tokenParams } from './invites.wire.ts';
import { createInvite, inviteAffiliate, revokeInvite } from './use-cases/invite.ts';

const read = { tag: 'Invites', access: { keys: ['merchant'], scope: 'affiliates:read' } } as const;
const write = { tag: 'Invites', access: { keys: ['merchant'], scope: 'affiliates:manage' } } as const;

const INVITING_REASONS = [
  'AFFILIATE_BLOCKED',
  'ALREADY_INVITED',
  'ALREADY_MEMBER',
  'BILLING_RESTRICTED',
  'MAIL_LIMIT',
  'PROGRAM_INACTIVE',
  'TOO_MANY_INVITES',
] as const;

export const inviteRoutes = [
  operation({
    ...read,
    id: 'listInvites',
    method: 'GET',
    path: '/programs/{id}/invites',
    summary: 'List invites of a program',
    description:
      'Returns all invites that can still be claimed and the 100 newest of the others, newest first, without pagination.',
    params: idParams,
    reply: z.array(inviteSchema),
    example: { data: [inviteExample] },
    handle: ({ ctx, params }) => listInvites(ctx, params.id),
  }),
  operation({
    ...write,
    id: 'createInvite',
    method: 'POST',
    path: '/programs/{id}/invites',
    summary: 'Create an invite',
    description:
      'Whoever has the token can join the program with `POST /invites/{token}/claim`, also when it takes no applications. With `email`, only the person with this address can. Without `isPublic`, one person can. At most 5,000 invites per program that can be claimed.',
    params: idParams,
    body: createInviteBody,
    reply: inviteSchema,
    status: 201,
    reasons: ['ALREADY_INVITED', 'BILLING_RESTRICTED', 'CODE_TAKEN', 'MAIL_LIMIT', 'TOO_MANY_INVITES'],
    example: createdInviteExample,
    handle: ({ ctx, params, body }) => createInvite(ctx, { ...body, programId: params.id }),
  }),
  operation({
    ...write,
    id: 'inviteAffiliate',
    method: 'POST',
    path: '/affiliates/{id}/invite',
    tag: 'Affiliates',
    summary: 'Invite an affiliate whom you added',
    description:
      'Mails a link with which the affiliate joins with a key of their own; from the day after, one reminder. An invite of theirs that can still be claimed is used again. Nothing changes when the mail cannot be sent.',
    params: idParams,
    reply: inviteSchema,
    status: 201,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    reasons: INVITING_REASONS,
    example: { data: affiliateInviteExample },
    handle: ({ ctx, params }) => inviteAffiliate(ctx, params),
  }),
  operation({
    id: 'getInvite',
    method: 'GET',
    path: '/invites/{token}',
    tag: 'Invites',
    summary: 'Retrieve an invite by its token',
    description:
      'For the page on which somebody accepts it: needs no key, and shows the program and its terms. The email address that the invite is for is not shown.',
    access: 'public',
    params: tokenParams,
    reply: publicInviteSchema,
    example: { data: publicInviteExample },
    handle: ({ ctx, params }) => getInvite(ctx, params.token),
  }),
  operation({
    ...write,
    id: 'revokeInvite',
    method: 'DELETE',
    path: '/invites/{token}',
    tag: 'Invites',
    summary: 'Revoke an invite',
    description:
      'Takes the id of the invite. It is `expired` from now on, and its `trackingCode` is free for others. Whoever claimed it before stays. A second call changes nothing.',
    params: inviteParams,
    reply: inviteSchema,
    example: { data: { ...inviteExample, status: 'expired' } },
    handle: ({ ctx, params }) => revokeInvite(ctx, { id: params.token }),
  }),
];
