import { operation } from '../../platform/http/operation.ts';
import { tokenParams } from '../invites/index.ts';
import {
  countCode,
  signInBody,
  signInByCodeBody,
  startedSessionExample,
  startedSessionSchema,
  startedSignInSchema,
} from '../people/index.ts';
import { acceptedInviteExample, joinedExample, programToJoinExample, startedJoiningExample } from './join-program.examples.ts';
import { claimResultSchema, joinResultSchema } from './joining.wire.ts';
import { getInvitedProgram, getProgramToJoin } from './program-to-join.queries.ts';
import {
  acceptInviteBody,
  joinByInviteBody,
  joinProgramBody,
  portalSlugParams,
  programToJoinSchema,
  startJoiningBody,
} from './program-to-join.wire.ts';
import { joinProgram, signUpByCode, signUpByLink, startJoiningByInvite, startJoiningProgram } from './use-cases/join-program.ts';
import { acceptInvite } from './use-cases/joining.ts';

const anybody = { tag: 'Sign-in', access: 'public' } as const;
const JOIN_REASONS = [
  'AFFILIATE_BLOCKED',
  'ALREADY_MEMBER',
  'APPLICATION_PENDING',
  'PROGRAM_INACTIVE',
  'REAPPLY_LATER',
  'TERMS_CHANGED',
] as const;
const invited = {
  tag: 'Invites',
  access: { keys: ['affiliate'], scope: 'invites:claim', domain: true },
  params: tokenParams,
} as const;
const started = { reply: startedSessionSchema, status: 201, secret: true, errors: ['UNAUTHORIZED'] } as const;

export const joinProgramRoutes = [
  operation({
    ...anybody,
    id: 'getProgramToJoin',
    method: 'GET',
    path: '/join/{portalSlug}',
    summary: 'Retrieve a program by its portal slug',
    params: portalSlugParams,
    reply: programToJoinSchema,
    example: { data: programToJoinExample },
    handle: ({ ctx, params }) => getProgramToJoin(ctx, params.portalSlug),
  }),
  operation({
    ...anybody,
    id: 'startJoiningProgram',
    method: 'POST',
    path: '/join/{portalSlug}/sign-ins',
    summary: 'Ask for a link and a code to join a program',
    description: 'The response is the same whether or not somebody has the address.',
    params: portalSlugParams,
    body: startJoiningBody,
    reply: startedSignInSchema,
    status: 201,
    reasons: ['PROGRAM_INACTIVE'],
    example: startedJoiningExample,
    handle: ({ ctx, params, body }) => startJoiningProgram(ctx, { ...params, ...body }),
  }),
  operation({
    ...anybody,
    id: 'startJoiningByInvite',
    method: 'POST',
    path: '/invites/{token}/sign-ins',
    summary: 'Ask for a link and a code to claim an invite',
    description: 'The response is the same whether or not somebody has the address.',
    params: tokenParams,
    body: joinByInviteBody,
    reply: startedSignInSchema,
    status: 201,
    reasons: ['INVITE_EXPIRED', 'INVITE_USED_UP', 'PROGRAM_INACTIVE'],
    example: { data: startedJoiningExample.data, body: { name: startedJoiningExample.body.name } },
    handle: ({ ctx, params, body }) => startJoiningByInvite(ctx, { ...params, ...body }),
  }),
  operation({
    ...anybody,
    ...started,
    id: 'signUpByLink',
    method: 'POST',
    path: '/sign-ups',
    summary: 'Sign in with a mailed link, as somebody who may be new',
    body: signInBody,
    example: { data: startedSessionExample, body: { token: startedSessionExample.token } },
    handle: ({ ctx, body }) => signUpByLink(ctx, body),
  }),
  operation({
    ...anybody,
    ...started,
    id: 'signUpByCode',
    method: 'POST',
    path: '/sign-ups/code',
    summary: 'Sign in with a mailed code, as somebody who may be new',
    body: signInByCodeBody,
    example: { data: startedSessionExample, body: { signInId: startedJoiningExample.data.id, code: '482 913' } },
    // Counted even if the code is rejected, which rolls everything else back.
    prepare: ({ ctx, body }) => countCode(ctx, body),
    commits: true,
    handle: ({ ctx, body }) => signUpByCode(ctx, body),
  }),
  operation({
    id: 'joinProgram',
    method: 'POST',
    path: '/join/{portalSlug}',
    tag: 'Marketplace',
    summary: 'Accept the terms of a program and join it',
    access: { keys: ['affiliate'], scope: 'marketplace:apply', domain: true },
    params: portalSlugParams,
    body: joinProgramBody,
    reply: joinResultSchema,
    status: 201,
    reasons: JOIN_REASONS,
    example: joinedExample,
    handle: ({ ctx, params, body }) => joinProgram(ctx, { ...params, ...body }),
  }),
  operation({
    ...invited,
    id: 'getInvitedProgram',
    method: 'GET',
    path: '/invites/{token}/program',
    summary: 'Retrieve the program of an invite, with its terms',
    description: 'For invites that can be claimed.',
    reply: programToJoinSchema,
    example: { data: programToJoinExample },
    handle: ({ ctx, params }) => getInvitedProgram(ctx, params.token),
  }),
  operation({
    ...invited,
    id: 'acceptInvite',
    method: 'POST',
    path: '/invites/{token}/accept',
    summary: 'Accept the terms of a program and claim an invite',
    body: acceptInviteBody,
    reply: claimResultSchema,
    status: 201,
    reasons: [...JOIN_REASONS, 'CODE_TAKEN', 'INVITE_EMAIL_MISMATCH', 'INVITE_EXPIRED', 'INVITE_USED_UP'],
    example: acceptedInviteExample,
    handle: ({ ctx, params, body }) => acceptInvite(ctx, { ...params, ...body }),
  }),
];
