import { randomUUID } from 'node:crypto';
import type { PaidTier } from '../../contracts/billing.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, firstRow } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { type CurrentSubscription, type StripeBilling, StripeCallError } from './stripe-billing.calls.ts';
import { hasEnded, subscriptionBeingPaid, subscriptionInProgress } from './subscription-state.rules.ts';

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
  const current = await finishOpenOrder(ctx, stripe, request);
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
const finishOpenOrder = async (
  ctx: Context,
  stripe: StripeBilling,
  request: StripeOrder,
): Promise<CurrentSubscription | null> => {
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

/** An order of a subscription, or of another tier for one. Its id is the key under which Stripe knows it. */
interface SubscriptionOrder {
  id: string;
  tier: PaidTier;
  /** The subscription and its item to change; null orders a subscription. */
  changes: { id: string; itemId: string } | null;
}

/** Longer than a request can be on its way after its client gave up. What Stripe carried out by then, it shows. */
const ON_ITS_WAY_MS = 5 * MINUTE_MS;

/**
 * The order that may be on its way to Stripe, unanswered. An older one is not repeated: it may never have been sent, and a
 * change of tier charges at once.
 */
const findOpenOrder = async (ctx: Context, merchantId: string): Promise<SubscriptionOrder | null> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('billing_subscription')
      .select(['orderId', 'orderTier', 'orderSubscriptionId', 'orderItemId'])
      .where('merchantId', '=', merchantId)
      .where('orderId', 'is not', null)
      .where('orderedAt', '>', after(ctx.clock.now(), -ON_ITS_WAY_MS).toISOString()),
  );
  if (!found?.orderId || !found.orderTier) return null;
  const { orderId: id, orderTier: tier, orderSubscriptionId, orderItemId } = found;
  return { id, tier, changes: orderSubscriptionId && orderItemId ? { id: orderSubscriptionId, itemId: orderItemId } : null };
};

/**
 * Before an order is sent, so that a crash leaves it open, and after it was answered: null. SUBSCRIPTION_IN_PROGRESS when the
 * request ran out and another one began.
 */
const saveOrder = (ctx: Context, { requestId, order }: { requestId: string; order: SubscriptionOrder | null }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const saved = await execute(
      ctx.em,
      db
        .updateTable('billing_subscription')
        .set({
          orderId: order?.id ?? null,
          orderTier: order?.tier ?? null,
          orderedAt: order ? ctx.clock.now() : null,
          orderSubscriptionId: order?.changes?.id ?? null,
          orderItemId: order?.changes?.itemId ?? null,
        })
        .where('requestId', '=', requestId),
    );
    if (saved === 0) throw subscriptionInProgress();
  });
