import { z } from 'zod';
import { operation } from '../../platform/http/operation.ts';
import { listStripeConnections } from './stripe-connections.queries.ts';
import {
  createStripeConnectionBody,
  createStripeConnectionExample,
  stripeConnectionExample,
  stripeConnectionParams,
  stripeConnectionSchema,
  stripeOnboardingSchema,
} from './stripe-connections.wire.ts';
import { lookAtConnections } from './stripe-payees.calls.ts';
import { createStripeConnection } from './use-cases/create-stripe-connection.ts';
import { deleteStripeConnection, getStripeConnection } from './use-cases/stripe-connection.ts';

const change = {
  tag: 'Me',
  access: { keys: ['affiliate'], scope: 'profile:write' },
  freshCheck: 'code',
  errors: ['NOT_FOUND', 'CONFLICT'],
} as const;

export const stripeConnectionRoutes = [
  operation({
    tag: 'Me',
    id: 'listStripeConnections',
    method: 'GET',
    path: '/me/stripe-connections',
    access: { keys: ['affiliate'], scope: 'profile:read' },
    summary: 'List where you can be paid through Stripe',
    description:
      'Returns the companies you work for that pay through Stripe, and how your account there is. While Stripe waits for you, it is asked first, for at most three companies. Without pagination: at most 100.',
    reply: z.array(stripeConnectionSchema),
    example: { data: [stripeConnectionExample] },
    prepare: ({ ctx }) => lookAtConnections(ctx),
    handle: ({ ctx }) => listStripeConnections(ctx),
  }),
  operation({
    ...change,
    id: 'createStripeConnection',
    method: 'POST',
    path: '/me/stripe-connections',
    summary: 'Be paid by a company through Stripe',
    description:
      'Makes an account at Stripe for you, or goes on with the one that you have, and returns the page of Stripe that asks for what is missing. Once it is `ready`, the company pays you there instead of to your payout details: `method` of its payouts is `bank_transfer`. The waits after changed payout details apply from then on, unless you had none. Calling it again makes no second account.',
    body: createStripeConnectionBody,
    reply: stripeOnboardingSchema,
    reasons: ['STRIPE_REFUSED'],
    example: createStripeConnectionExample,
    secret: true,
    prepare: ({ ctx, body }) => createStripeConnection(ctx, body),
    commits: true,
    handle: async ({ ctx, prepared }) => ({ ...prepared, ...(await getStripeConnection(ctx, prepared.merchantId)) }),
  }),
  operation({
    ...change,
    id: 'deleteStripeConnection',
    method: 'DELETE',
    path: '/me/stripe-connections/{merchantId}',
    summary: 'Stop being paid by a company through Stripe',
    description:
      'The company pays you to your payout details again. Your account at Stripe stays, with the money in it. The waits after changed payout details apply. `PAYOUT_IN_FLIGHT`: a payout to it is in progress.',
    params: stripeConnectionParams,
    reply: stripeConnectionSchema,
    reasons: ['PAYOUT_IN_FLIGHT'],
    example: { data: { ...stripeConnectionExample, state: 'not_connected', requirements: [], country: null } },
    handle: ({ ctx, params }) => deleteStripeConnection(ctx, params),
  }),
];
