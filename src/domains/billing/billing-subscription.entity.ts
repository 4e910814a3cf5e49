import { defineEntity, p } from '@mikro-orm/core';
import { PAID_TIERS } from '../../contracts/billing.ts';

/** What pays for a merchant's tier at Stripe. Made by the first request to subscribe. */
export const BillingSubscriptionSchema = defineEntity({
  name: 'BillingSubscription',
  tableName: 'billing_subscription',
  properties: {
    merchantId: p.uuid().primary(),
    stripeCustomerId: p.text().nullable(),
    stripeSubscriptionId: p.text().nullable(),
    /** Chosen, and granted once it is paid. */
    requestedTier: p.enum(PAID_TIERS).nullable(),
    /** Where an open invoice is paid. */
    paymentUrl: p.text().nullable(),
    /** An order that Stripe may have received and has not answered: for some minutes, it is repeated under its id before there is another. */
    orderId: p.uuid().nullable(),
    orderTier: p.enum(PAID_TIERS).nullable(),
    /** What the order changes; null for an order of a subscription. */
    orderSubscriptionId: p.text().nullable(),
    orderItemId: p.text().nullable(),
    /** Nothing of it is on its way long after this time. */
    orderedAt: p.datetime(3).nullable(),
    /** Increased by every change: what was read from Stripe before a change is not applied after it. */
    version: p.integer().default(0),
    /** Until `requestedUntil`, the only request that talks to Stripe for the merchant. */
    requestId: p.uuid().nullable(),
    requestedUntil: p.datetime(3).nullable(),
  },
});
