import { merchantOf } from '../../platform/context.ts';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { eventSecretSchema, toEventSecret } from './event-secret.wire.ts';
import {
  createdProgramExample,
  eventSecretExample,
  programExample,
  stripeConnectExample,
  updatedProgramExample,
} from './programs.examples.ts';
import { getProgram, listPrograms } from './programs.queries.ts';
import {
  createProgramBody,
  programDetailSchema,
  programSchema,
  programsQuery,
  toProgram,
  updateProgramBody,
} from './programs.wire.ts';
import { revokeStripeAccess } from './revoke-stripe-access.calls.ts';
import {
  connectStripeBody,
  stripeConnectStartSchema,
  stripeDisconnectedSchema,
  toStripeConnectStart,
} from './stripe-connection.wire.ts';
import { issueProgramEventSecret } from './use-cases/issue-program-event-secret.ts';
import { archiveProgram, createProgram, updateProgram } from './use-cases/program.ts';
import { connectStripe, disconnectStripe } from './use-cases/stripe-connection.ts';

const read = { tag: 'Programs', access: { keys: ['merchant'], scope: 'programs:read' } } as const;
const write = { tag: 'Programs', access: { keys: ['merchant'], scope: 'programs:write' } } as const;
const setup = { tag: 'Programs', access: { keys: ['merchant', 'onboarding'], scope: 'programs:write' } } as const;

/** An app that may show pages of affiliates in a frame sees and covers what they do there. */
const framesOf = ({ embedOrigins }: { embedOrigins?: readonly string[] | undefined }) =>
  embedOrigins === undefined ? null : 'code';

export const programRoutes = [
  operation({
    ...read,
    id: 'listPrograms',
    method: 'GET',
    path: '/programs',
    summary: 'List programs',
    description: 'Returns your programs, newest first. Archived programs are excluded by default.',
    query: programsQuery,
    paged: true,
    reply: programSchema,
    example: { data: [programExample] },
    handle: ({ ctx, query }) => listPrograms(ctx, query),
  }),
  operation({
    ...write,
    id: 'createProgram',
    method: 'POST',
    path: '/programs',
    freshCheck: framesOf,
    summary: 'Create a program',
    description: "Fields that are left out take the merchant's defaults. An onboarding key can only create the first program.",
    access: { keys: ['merchant', 'onboarding'], scope: 'programs:write' },
    body: createProgramBody,
    reply: programSchema,
    status: 201,
    reasons: ['BILLING_REQUIRED', 'BILLING_RESTRICTED', 'ONBOARDING_PROGRAM_EXISTS', 'PORTAL_SLUG_TAKEN'],
    example: createdProgramExample,
    handle: async ({ ctx, body }) => toProgram(await createProgram(ctx, { ...body, merchantId: merchantOf(ctx) })),
  }),
  operation({
    ...read,
    id: 'getProgram',
    method: 'GET',
    path: '/programs/{id}',
    summary: 'Retrieve a program',
    description: 'Includes the readiness of the program: how much of its setup is done.',
    access: { keys: ['merchant', 'onboarding'], scope: 'programs:read' },
    params: idParams,
    reply: programDetailSchema,
    example: { data: { ...programExample, readiness: 'partial' } },
    handle: ({ ctx, params }) => getProgram(ctx, params.id),
  }),
  operation({
    ...write,
    id: 'updateProgram',
    method: 'PATCH',
    path: '/programs/{id}',
    freshCheck: framesOf,
    summary: 'Update a program',
    description: 'Fields that are left out stay unchanged. The currency cannot be changed after the first sale or adjustment.',
    params: idParams,
    body: updateProgramBody,
    reply: programSchema,
    reasons: ['CURRENCY_LOCKED', 'PORTAL_SLUG_TAKEN'],
    example: updatedProgramExample,
    handle: async ({ ctx, params, body }) => toProgram(await updateProgram(ctx, { id: params.id, changes: body })),
  }),
  operation({
    ...write,
    id: 'archiveProgram',
    method: 'DELETE',
    path: '/programs/{id}',
    summary: 'Archive a program',
    description: 'The program stops attributing sales. Its data is kept, and its status can be changed again.',
    params: idParams,
    reply: programSchema,
    example: { data: { ...programExample, status: 'archived' } },
    handle: async ({ ctx, params }) => toProgram(await archiveProgram(ctx, { id: params.id })),
  }),
  operation({
    ...write,
    id: 'issueProgramEventSecret',
    method: 'POST',
    path: '/programs/{id}/event-secret',
    summary: 'Issue or rotate the event secret of a program',
    description: 'Sale events are signed with this secret. The previous secret stays valid for 24 hours.',
    params: idParams,
    reply: eventSecretSchema,
    status: 201,
    secret: true,
    example: { data: eventSecretExample },
    handle: async ({ ctx, params }) => toEventSecret(await issueProgramEventSecret(ctx, { programId: params.id })),
  }),
  operation({
    ...setup,
    id: 'connectStripe',
    method: 'POST',
    path: '/programs/{id}/connect-stripe',
    summary: 'Connect a program to Stripe',
    description:
      'Returns the page at Stripe where you grant read access to your account. The program is connected when Stripe sends your browser back. Each call ends the URL of the call before. `STRIPE_NOT_CONFIGURED`: this server has no Stripe Connect; receive the events of your own account instead.',
    params: idParams,
    body: connectStripeBody,
    reply: stripeConnectStartSchema,
    reasons: ['STRIPE_NOT_CONFIGURED'],
    secret: true,
    example: stripeConnectExample,
    handle: async ({ ctx, params }) => toStripeConnectStart(await connectStripe(ctx, { programId: params.id })),
  }),
  operation({
    ...setup,
    id: 'disconnectStripe',
    method: 'DELETE',
    path: '/programs/{id}/connect-stripe',
    summary: 'Disconnect a program from Stripe',
    description:
      'Ends the access to the Stripe account, unless another program uses it. Sales and refunds that were received stay. Disconnecting a program that is not connected changes nothing.',
    params: idParams,
    reply: stripeDisconnectedSchema,
    example: { data: { success: true, programId: programExample.id } },
    prepare: ({ ctx, params }) => revokeStripeAccess(ctx, params.id),
    commits: true,
    handle: ({ ctx, params }) => disconnectStripe(ctx, { programId: params.id }),
  }),
];
