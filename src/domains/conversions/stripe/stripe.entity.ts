import { defineEntity, p } from '@mikro-orm/core';
import { DISPUTE_STATUSES, SALE_PROBLEMS } from '../../../contracts/conversions.ts';
import type { StoredStripeEvidence } from './stripe-evidence.rules.ts';
import type { StoredSession } from './stripe-fact.rules.ts';

/** Whether a payment pays an invoice or a Checkout Session may be known later. */
export const StripePaymentSchema = defineEntity({
  name: 'StripePayment',
  tableName: 'stripe_payment',
  properties: {
    merchantId: p.uuid().primary(),
    paymentId: p.text().primary(),
    invoiceId: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

/** What is known of the program of a payment, apart from its sale. */
export const StripeHintSchema = defineEntity({
  name: 'StripeHint',
  tableName: 'stripe_hint',
  properties: {
    merchantId: p.uuid().primary(),
    externalSaleId: p.text().primary(),
    /** Evidence of its Checkout Session, which may come before the sale. */
    evidence: p.json<StoredStripeEvidence>(),
    /** Programs whose endpoints received the payment, while nothing else tells its program. Null: that was not needed. */
    receivedFor: p.array().columnType('uuid[]').nullable(),
    createdAt: p.datetime(3),
  },
});

/** A payment that is captured by hand. Its Checkout Session comes before, and is forgotten once the sale is recorded. */
export const StripeAuthorizationSchema = defineEntity({
  name: 'StripeAuthorization',
  tableName: 'stripe_authorization',
  properties: {
    merchantId: p.uuid().primary(),
    paymentId: p.text().primary(),
    session: p.json<StoredSession>().nullable(),
    customerId: p.text().nullable(),
    customerEmailDigest: p.text().nullable(),
    customerCanonicalDigest: p.text().nullable(),
    customerEmailDomain: p.text().nullable(),
    /** Minor units with tax. Null: it is not captured. */
    captured: p.bigint('number').nullable(),
    /** Authorized and never captured. Stripe counts it among the refunds. */
    released: p.bigint('number').default(0),
    createdAt: p.datetime(3),
  },
});

/** All refunds of a payment so far, in minor units. Those in another currency than its sale's are for a person. */
export const StripeRefundSchema = defineEntity({
  name: 'StripeRefund',
  tableName: 'stripe_refund',
  properties: {
    merchantId: p.uuid().primary(),
    paymentId: p.text().primary(),
    currency: p.text().primary(),
    refunded: p.bigint('number'),
    /** The event that reported them. */
    eventId: p.text(),
    occurredAt: p.datetime(3),
  },
});

/** Each refund of a payment, in its newest state. `stripe_refund` has their total. */
export const StripeSingleRefundSchema = defineEntity({
  name: 'StripeSingleRefund',
  tableName: 'stripe_single_refund',
  properties: {
    merchantId: p.uuid().primary(),
    refundId: p.text().primary(),
    paymentId: p.text(),
    currency: p.text(),
    /** Minor units with tax. */
    amount: p.bigint('number'),
    /** Neither failed nor canceled. */
    isLive: p.boolean(),
    /** The event that reported the state. */
    eventId: p.text(),
    occurredAt: p.datetime(3),
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

/** The ids of the promotion code and the coupon of a discount. Invoices name it by its own id. */
export const StripeDiscountSchema = defineEntity({
  name: 'StripeDiscount',
  tableName: 'stripe_discount',
  properties: {
    merchantId: p.uuid().primary(),
    discountId: p.text().primary(),
    couponCodes: p.array().columnType('text[]'),
    createdAt: p.datetime(3),
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

/** An event that a person has to look at. The content of one of Stripe is at Stripe: it may name customers. */
export const SaleProblemSchema = defineEntity({
  name: 'SaleProblem',
  tableName: 'sale_problem',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    eventId: p.text(),
    eventType: p.text(),
    objectId: p.text().nullable(),
    /** The sale that it is about, if one was recorded. */
    saleId: p.uuid().nullable(),
    reason: p.enum(SALE_PROBLEMS),
    /** Paths of the members that could not be used. */
    fields: p.array().nullable(),
    /** Which field is wrong, and why. Never a value of the event. */
    detail: p.text().nullable(),
    createdAt: p.datetime(3),
    resolvedAt: p.datetime(3).nullable(),
    note: p.text().nullable(),
  },
});
