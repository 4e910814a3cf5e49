import { z } from 'zod';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import { operation } from '../../platform/http/operation.ts';
import { billingEventExamples, billingStatusExample, billingTierExamples, subscribedExample } from './billing.examples.ts';
import { getBillingStatus, listBillingTiers } from './billing.queries.ts';
import { billingStatusSchema, billingTierSchema, subscribeToTierBody } from './billing.wire.ts';
import { billingEventSchema, billingResultSchema } from './billing-event.rules.ts';
import { requestSubscription } from './request-subscription.calls.ts';
import { receiveBillingEvent } from './sync-subscription.calls.ts';
import { subscribeToTier } from './use-cases/subscription.ts';

const read = { tag: 'Billing', access: { keys: ['merchant'], scope: 'billing:read' } } as const;

export const billingRoutes = [
  operation({
    ...read,
    id: 'getBillingStatus',
    method: 'GET',
    path: '/billing',
    summary: 'Retrieve the billing status',
    description:
      'Returns your tier, your revenue through affiliates in this calendar month of your time zone, and what is to be paid. `required`: the revenue is above `maxRevenue`; no program can be created (409 `BILLING_REQUIRED`). `restricted`: a payment is overdue; no programs and invites can be created and no affiliates added or approved (409 `BILLING_RESTRICTED`). Tracking, sales, commissions and payouts go on in both.',
    reply: billingStatusSchema,
    example: { data: billingStatusExample },
    handle: ({ ctx }) => getBillingStatus(ctx),
  }),
  operation({
    ...read,
    id: 'listBillingTiers',
    method: 'GET',
    path: '/billing/tiers',
    summary: 'List billing tiers',
    description: 'Returns all tiers, the cheapest first, without pagination. Prices are monthly, in usd.',
    reply: z.array(billingTierSchema),
    example: { data: billingTierExamples },
    handle: () => listBillingTiers(),
  }),
  operation({
    id: 'subscribeToTier',
    method: 'POST',
    path: '/billing/subscribe',
    tag: 'Billing',
    summary: 'Subscribe to a billing tier',
    description:
      'With Stripe, a first subscription is `requestedTier` until its invoice is paid at `paymentUrl`; a change of the tier applies at once and is invoiced. If the server collects no payments (`paymentProvider` is `none`), only its operator changes tiers (409 `BILLING_NOT_CONFIGURED`), unless the operator lets merchants choose: then the tier changes at once. Subscribing to the same tier again changes nothing.',
    access: { keys: ['merchant'], scope: 'billing:write' },
    body: subscribeToTierBody,
    reply: billingStatusSchema,
    reasons: ['BILLING_NOT_CONFIGURED', 'REVENUE_ABOVE_TIER', 'SUBSCRIPTION_IN_PROGRESS'],
    example: subscribedExample,
    prepare: ({ ctx, body }) => requestSubscription(ctx, body.tier),
    commits: true,
    handle: ({ ctx, body, prepared }) => subscribeToTier(ctx, { ...body, provider: prepared }),
  }),
];

export const billingWebhooks: InboundWebhook[] = [
  {
    id: 'receiveBillingEvent',
    path: '/api/integrations/billing/stripe',
    tag: 'Billing',
    summary: 'Receive an event about a subscription',
    description:
      'Called by Stripe for the subscriptions of merchants to this server. An event is a hint: the subscription is read from Stripe, so that events may arrive late, twice and in any order. `ignored`: of a type or customer that is not used.',
    params: {},
    body: billingEventSchema,
    reply: billingResultSchema,
    signature: 'stripe',
    reasons: [],
    examples: { bodies: billingEventExamples, data: { outcome: 'applied' } },
    handle: ({ ctx, headers, rawBody }) => receiveBillingEvent(ctx, { headers, rawBody }),
  },
];
