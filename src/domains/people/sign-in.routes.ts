import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { getSignInLink } from './lock-sign-in.steps.ts';
import { companyExample, sessionExample, startedSessionExample } from './people.examples.ts';
import {
  chooseCompanyBody,
  companySchema,
  openSignInSchema,
  sessionSchema,
  signedOutSchema,
  signInBody,
  signInByCodeBody,
  signOutBody,
  startedSessionSchema,
  startedSignInSchema,
  startSignInBody,
  tokenQuery,
} from './people.wire.ts';
import { listCompanies, listSessions } from './sessions.queries.ts';
import { chooseCompany, revokeSession, signOut } from './use-cases/session.ts';
import { countCode, signIn, signInByCode, startSignIn } from './use-cases/sign-in.ts';

const anybody = { tag: 'Sign-in', access: 'public' } as const;
const mine = { tag: 'Sign-in', access: { keys: ['merchant', 'affiliate'], scope: 'any' } } as const;
const started = { reply: startedSessionSchema, status: 201, secret: true, errors: ['UNAUTHORIZED'] } as const;

export const signInRoutes = [
  operation({
    ...anybody,
    id: 'startSignIn',
    method: 'POST',
    path: '/sign-ins',
    summary: 'Ask for a link and a code to sign in',
    description: 'The response is the same whether or not somebody has the address.',
    body: startSignInBody,
    reply: startedSignInSchema,
    status: 201,
    example: {
      data: { id: '0198f1c2-0d40-7e6f-8084-61b29d5e9f73', expiresAt: '2026-01-16T14:15:00.000Z' },
      body: { email: 'grace@acme.example' },
    },
    handle: ({ ctx, body }) => startSignIn(ctx, body),
  }),
  operation({
    ...anybody,
    id: 'getSignInLink',
    method: 'GET',
    path: '/sign-ins/link',
    summary: 'Read whom a mailed link signs in',
    description: 'Reading it does not use the link up.',
    query: tokenQuery,
    reply: openSignInSchema,
    errors: ['NOT_FOUND'],
    example: { data: { email: 'grace@acme.example' } },
    handle: ({ ctx, query }) => getSignInLink(ctx, query),
  }),
  operation({
    ...anybody,
    ...started,
    id: 'signIn',
    method: 'POST',
    path: '/sessions',
    summary: 'Sign in with a mailed link',
    body: signInBody,
    example: { data: startedSessionExample, body: { token: startedSessionExample.token } },
    handle: ({ ctx, body }) => signIn(ctx, body),
  }),
  operation({
    ...anybody,
    ...started,
    id: 'signInByCode',
    method: 'POST',
    path: '/sessions/code',
    summary: 'Sign in with a mailed code',
    body: signInByCodeBody,
    example: { data: startedSessionExample, body: { signInId: '0198f1c2-0d40-7e6f-8084-61b29d5e9f73', code: '482 913' } },
    // Counted even if the sign-in is rejected, which rolls everything else back.
    prepare: ({ ctx, body }) => countCode(ctx, body),
    commits: true,
    handle: ({ ctx, body }) => signInByCode(ctx, body),
  }),
  operation({
    ...anybody,
    id: 'signOut',
    method: 'POST',
    path: '/sessions/end',
    summary: 'Sign out',
    body: signOutBody,
    reply: signedOutSchema,
    example: { data: { success: true }, body: { token: startedSessionExample.token } },
    handle: ({ ctx, body }) => signOut(ctx, body),
  }),
  operation({
    ...mine,
    id: 'listSessions',
    method: 'GET',
    path: '/sessions',
    urgent: true,
    summary: 'List your sessions',
    reply: sessionSchema.array(),
    example: { data: [sessionExample] },
    handle: ({ ctx }) => listSessions(ctx),
  }),
  operation({
    ...mine,
    id: 'revokeSession',
    method: 'DELETE',
    path: '/sessions/{id}',
    urgent: true,
    summary: 'End one of your sessions',
    params: idParams,
    reply: sessionSchema,
    example: { data: sessionExample },
    handle: ({ ctx, params }) => revokeSession(ctx, params),
  }),
  operation({
    ...mine,
    id: 'listCompanies',
    method: 'GET',
    path: '/companies',
    summary: 'List the companies that you may act for',
    reply: companySchema.array(),
    example: { data: [companyExample] },
    handle: ({ ctx }) => listCompanies(ctx),
  }),
  operation({
    ...mine,
    id: 'chooseCompany',
    method: 'POST',
    path: '/companies/choose',
    summary: 'Act for another one of your companies, in this session',
    body: chooseCompanyBody,
    reply: companySchema,
    example: { data: companyExample, body: { merchantId: companyExample.merchantId } },
    handle: ({ ctx, body }) => chooseCompany(ctx, body),
  }),
];
