import { z } from 'zod';
import { operation } from '../../platform/http/operation.ts';
import { emailAddress, nameLine } from '../../platform/http/schemas.ts';
import {
  companyExample,
  companySchema,
  countCode,
  signInBody,
  signInByCodeBody,
  startedSessionExample,
  startedSessionSchema,
  startedSignInSchema,
} from '../people/index.ts';
import { createCompany, createCompanyByCode, createCompanyByLink, getSignUp, startSignUp } from './use-cases/sign-up.ts';

const companyName = nameLine(100).describe('Name of the company');

const signUpSchema = z
  .object({ isOpen: z.literal(true).describe('Companies may open accounts themselves') })
  .meta({ id: 'SignUp' });

const startSignUpBody = z.strictObject({
  companyName,
  name: nameLine(100).describe('Name of the person, kept if the address has one already'),
  email: emailAddress.describe('Where the link is sent'),
});
const createCompanyBody = z.strictObject({ companyName });

const anybody = { tag: 'Sign-in', access: 'public' } as const;
const CLOSED = 'NOT_FOUND while only the operator creates merchants (`SIGNUP`).';
const started = {
  reply: startedSessionSchema,
  status: 201,
  secret: true,
  errors: ['NOT_FOUND', 'UNAUTHORIZED'],
  reasons: ['TOO_MANY_COMPANIES'],
} as const;
const signInId = '0198f1c2-0d40-7e6f-8084-61b29d5e9f73';
const startedSignUpExample = {
  data: { id: signInId, expiresAt: '2026-01-16T14:15:00.000Z' },
  body: { companyName: companyExample.companyName, name: 'Grace Holt', email: 'grace@acme.example' },
};

/** How companies open accounts themselves. */
export const signUpRoutes = [
  operation({
    ...anybody,
    id: 'getSignUp',
    method: 'GET',
    path: '/companies/sign-ups',
    summary: 'Ask whether companies may open accounts',
    description: CLOSED,
    reply: signUpSchema,
    errors: ['NOT_FOUND'],
    example: { data: { isOpen: true } },
    handle: ({ ctx }) => getSignUp(ctx),
  }),
  operation({
    ...anybody,
    id: 'startSignUp',
    method: 'POST',
    path: '/companies/sign-ups',
    summary: 'Ask for a link and a code to open an account',
    description: `The response is the same whether or not somebody has the address. ${CLOSED}`,
    body: startSignUpBody,
    reply: startedSignInSchema,
    status: 201,
    errors: ['NOT_FOUND'],
    example: startedSignUpExample,
    handle: ({ ctx, body }) => startSignUp(ctx, body),
  }),
  operation({
    ...anybody,
    ...started,
    id: 'createCompanyByLink',
    method: 'POST',
    path: '/companies/sign-ups/link',
    summary: 'Open an account with a mailed link, and sign in',
    body: signInBody,
    example: { data: startedSessionExample, body: { token: startedSessionExample.token } },
    handle: ({ ctx, body }) => createCompanyByLink(ctx, body),
  }),
  operation({
    ...anybody,
    ...started,
    id: 'createCompanyByCode',
    method: 'POST',
    path: '/companies/sign-ups/code',
    summary: 'Open an account with a mailed code, and sign in',
    body: signInByCodeBody,
    example: { data: startedSessionExample, body: { signInId, code: '482 913' } },
    // Counted even if the code is rejected, which rolls everything else back.
    prepare: ({ ctx, body }) => countCode(ctx, body),
    commits: true,
    handle: ({ ctx, body }) => createCompanyByCode(ctx, body),
  }),
  operation({
    tag: 'Sign-in',
    access: { keys: ['merchant', 'affiliate'], scope: 'any' },
    id: 'createCompany',
    method: 'POST',
    path: '/companies',
    summary: 'Open an account for another company, and act for it',
    description: `At most three companies in 24 hours. ${CLOSED}`,
    body: createCompanyBody,
    reply: companySchema,
    status: 201,
    errors: ['NOT_FOUND'],
    reasons: ['TOO_MANY_COMPANIES'],
    example: { data: { ...companyExample, role: 'owner' }, body: { companyName: companyExample.companyName } },
    handle: ({ ctx, body }) => createCompany(ctx, body),
  }),
];
