import type { StripeOutcome } from '../../../contracts/conversions.ts';
import type { InboundWebhook } from '../../../platform/http/inbound-webhook.ts';
import { receiveStripeEvent } from '../use-cases/receive-stripe-event.ts';
import {
  STRIPE_EVENT_TYPES,
  STRIPE_OBJECT_SCHEMAS,
  type StripeEventResult,
  stripeEventSchema,
  stripeResultSchema,
} from './stripe-event.rules.ts';

/** Counts an event by a closed set of types: `other` for all that are not used. */
export type ObserveStripeEvent = (labels: { type: string; outcome: StripeOutcome }) => void;

const OUTCOMES =
  '`recorded`: applied. `unattributed`: recorded without a commission. `duplicate`: nothing changed. `waiting`: applied when its sale arrives. `ignored`: of a type, account or mode that is not used, or without money. `needs_review`: stored for a person, because it contradicts an earlier event, is in another currency than its sale, or cannot be read.';

/** Shortened: Stripe sends many more fields. */
const stripeEventExamples = {
  'checkout.session.completed': {
    id: 'evt_1Example',
    type: 'checkout.session.completed',
    created: 1_768_469_400,
    livemode: true,
    data: {
      object: {
        id: 'cs_live_1Example',
        mode: 'payment',
        payment_status: 'paid',
        created: 1_768_469_100,
        amount_total: 11_781,
        currency: 'usd',
        total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 1_881 },
        customer: 'cus_1Example',
        payment_intent: 'pi_1Example',
        metadata: { agentref_cid: 'clk_0198f1c27a4e7c319f0a2f1d3b6c8e51' },
      },
    },
  },
};

const shared = {
  tag: 'Sale events',
  body: stripeEventSchema,
  parts: STRIPE_OBJECT_SCHEMAS,
  reply: stripeResultSchema,
  signature: 'stripe',
  reasons: [],
  examples: { bodies: stripeEventExamples, data: { outcome: 'recorded', conversionId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e21' } },
} as const;

const typeOf = (rawBody: Buffer): string => STRIPE_EVENT_TYPES.find((type) => rawBody.includes(`"${type}"`)) ?? 'other';

export const stripeWebhooks = (observe: ObserveStripeEvent): InboundWebhook[] => {
  const counted = async (rawBody: Buffer, received: Promise<StripeEventResult>): Promise<StripeEventResult> => {
    const result = await received;
    observe({ type: typeOf(rawBody), outcome: result.outcome });
    return result;
  };
  return [
    {
      ...shared,
      id: 'receiveStripeConnectEvent',
      path: '/api/integrations/stripe',
      summary: 'Receive an event of a connected Stripe account',
      description: `Called by Stripe for accounts that were connected by OAuth. ${OUTCOMES}`,
      params: {},
      handle: ({ ctx, params: _params, ...message }) =>
        counted(message.rawBody, receiveStripeEvent(ctx, { programId: null, ...message })),
    },
    {
      ...shared,
      id: 'receiveStripeEvent',
      path: '/api/integrations/stripe/{programId}',
      summary: "Receive an event of a merchant's own Stripe account",
      description: `Called by Stripe for the endpoint that a merchant added to their own account. ${OUTCOMES}`,
      params: { programId: 'Id of the program that the endpoint was added for' },
      handle: ({ ctx, params, ...message }) =>
        counted(message.rawBody, receiveStripeEvent(ctx, { programId: params['programId'] ?? '', ...message })),
    },
  ];
};
