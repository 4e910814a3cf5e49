import { randomUUID } from 'node:crypto';
import type { PaidTier } from '../../contracts/billing.ts';
import type { Context } from '../../platform/context.ts';
import { type CurrentSubscription, type StripeBilling, StripeCallError } from '../../platform/stripe/stripe-billing.ts';
import { findOpenOrder, type SubscriptionOrder } from './billing.queries.ts';
import { hasEnded, subscriptionBeingPaid } from './subscription-state.ts';
import { saveOrder } from './use-cases/save-order.ts';

export interface StripeOrder {
  merchantId: string;
  customerId: string;
  tier: PaidTier;
  requestId: string;
}

/**
 * Makes the customer's subscription one of this tier, and returns its id. An order that was not answered may still arrive at
 * Stripe: it is repeated under its id, which carries it out once at most, before anything else is ordered.
 * SUBSCRIPTION_IN_PROGRESS while the first invoice of another tier is being paid.
 */
export const orderAtStripe = async (ctx: Context, stripe: StripeBilling, request: StripeOrder): Promise<string> => {
  const { tier, requestId } = request;
  const current = await settle(ctx, stripe, request);
  if (current?.tier === tier) return current.id;
  const isUnpaid = current?.status === 'incomplete';
  // The price of an unpaid first invoice cannot be changed.
  if (current && isUnpaid && !(await stripe.cancelUnpaid(current.id))) throw subscriptionBeingPaid();
  const changes = current && !isUnpaid ? { id: current.id, itemId: current.itemId } : null;
  const order = { id: randomUUID(), tier, changes };
  await saveOrder(ctx, { requestId, order });
  return (await send(ctx, stripe, { ...request, order })).id;
};

/** The customer's subscription, after nothing of an earlier order is on its way any more. */
const settle = async (ctx: Context, stripe: StripeBilling, request: StripeOrder): Promise<CurrentSubscription | null> => {
  const { merchantId, customerId, requestId } = request;
  const order = await findOpenOrder(ctx, merchantId);
  if (order?.changes) await repeatChange(ctx, stripe, { ...request, order });
  const current = await stripe.findCurrent(customerId);
  if (order === null || order.changes) return current;
  if (current === null) {
    const made = await send(ctx, stripe, { ...request, order });
    // A repeat returns it as it was made.
    const read = await stripe.findSubscription(made.id);
    return read === null || hasEnded(read) ? null : { ...made, status: read.status };
  }
  await saveOrder(ctx, { requestId, order: null });
  return current;
};

type SentOrder = Pick<StripeOrder, 'customerId' | 'requestId'> & { order: SubscriptionOrder };

/** A change that Stripe rejects is not on its way either. */
const repeatChange = async (ctx: Context, stripe: StripeBilling, sent: SentOrder): Promise<void> => {
  try {
    await send(ctx, stripe, sent);
  } catch (error) {
    if (!(error instanceof StripeCallError && error.isAnswered)) throw error;
  }
};

/** An answer closes the order, a rejection too. */
const send = async (ctx: Context, stripe: StripeBilling, sent: SentOrder): Promise<CurrentSubscription> => {
  const { customerId, requestId, order } = sent;
  const { id: orderId, tier, changes } = order;
  try {
    const made = await (changes ? stripe.change({ ...changes, tier, orderId }) : stripe.order({ customerId, tier, orderId }));
    await saveOrder(ctx, { requestId, order: null });
    return made;
  } catch (error) {
    if (error instanceof StripeCallError && error.isAnswered) await saveOrder(ctx, { requestId, order: null });
    throw error;
  }
};
