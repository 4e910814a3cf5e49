import type { TestApi, TestResponse } from '../api.ts';
import { unique } from '../factories.ts';
import { rowsOf } from '../rail-payouts.ts';
import { seconds, stripeEvent, stripeSignature } from './stripe-events.ts';
import { BILLING_SECRET } from './stripe-server.ts';

export interface TestSubscription {
  id: string;
  customer: string;
}

export const subscriptionEvent = (type: 'created' | 'updated' | 'deleted', { id, customer }: TestSubscription) =>
  stripeEvent(`customer.subscription.${type}`, { id, object: 'subscription', customer, status: 'not read' });

export const invoiceEvent = (type: 'paid' | 'payment_failed', { id, customer }: TestSubscription, at: Date = new Date()) =>
  stripeEvent(
    `invoice.${type}`,
    {
      id: `in_${unique()}`,
      object: 'invoice',
      customer,
      parent: { type: 'subscription_details', subscription_details: { subscription: id, metadata: {} } },
    },
    { created: seconds(at) },
  );

export const sendBillingEvent = (api: TestApi, event: unknown, secret = BILLING_SECRET): Promise<TestResponse> => {
  const body = JSON.stringify(event);
  return api.raw('POST', '/api/integrations/billing/stripe', { body, headers: stripeSignature(body, secret) });
};

/** What a merchant has at Stripe, as it is stored. */
export const storedSubscription = async (api: TestApi, merchantId: string): Promise<TestSubscription> => {
  const [row] = await rowsOf(
    api,
    'select stripe_subscription_id as id, stripe_customer_id as customer from billing_subscription where merchant_id = ?',
    [merchantId],
  );
  return row;
};
