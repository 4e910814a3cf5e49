import { defineEntity, p } from '@mikro-orm/core';
import { DISPUTE_STATUSES, STRIPE_PROBLEMS } from '../../../contracts/conversions.ts';

/** Whether a payment pays an invoice or a Checkout Session may be known later. */
export const StripePaymentSchema = defineEntity({
  name: 'StripePayment',
  tableName: 'stripe_payment',
  properties: {
    merchantId: p.uuid().primary(),
    paymentId: p.text().primary(),
    invoiceId: p.text().nullable(),
    /** All refunds so far, in minor units. */
    refunded: p.bigint('number').default(0),
    refundedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
});

export const StripeDisputeSchema = defineEntity({
  name: 'StripeDispute',
  tableName: 'stripe_dispute',
  properties: {
    merchantId: p.uuid().primary(),
    disputeId: p.text().primary(),
    paymentId: p.text(),
    status: p.enum(DISPUTE_STATUSES),
    amount: p.bigint('number'),
    currency: p.text(),
    occurredAt: p.datetime(3),
  },
});

/** What customers type. Payments name the code by its id. */
export const StripePromotionCodeSchema = defineEntity({
  name: 'StripePromotionCode',
  tableName: 'stripe_promotion_code',
  properties: {
    merchantId: p.uuid().primary(),
    promotionCodeId: p.text().primary(),
    code: p.text(),
    createdAt: p.datetime(3),
  },
});

/** An event of Stripe that a person has to look at. Its content is at Stripe: it may name customers. */
export const StripeProblemSchema = defineEntity({
  name: 'StripeProblem',
  tableName: 'stripe_problem',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    eventId: p.text(),
    eventType: p.text(),
    objectId: p.text().nullable(),
    reason: p.enum(STRIPE_PROBLEMS),
    createdAt: p.datetime(3),
    resolvedAt: p.datetime(3).nullable(),
    note: p.text().nullable(),
  },
});
