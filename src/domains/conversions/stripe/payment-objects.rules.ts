import { z } from 'zod';
import { COUPON_CODE } from '../../coupons/index.ts';
import type {
  StripeCapture,
  StripeDispute,
  StripeInvoicePayment,
  StripePromotionCode,
  StripeRefund,
  StripeRefundState,
} from './stripe-fact.rules.ts';
import {
  amount,
  currencyCode,
  optionalReference,
  promotionText,
  reference,
  stripeId,
  stripeWord,
  toMinorUnits,
} from './stripe-fields.rules.ts';

export const charge = z.object({
  id: stripeId,
  payment_intent: optionalReference,
  amount_refunded: amount,
  currency: currencyCode,
});

/** `amount_refunded` is the sum of all refunds so far. */
export const readRefundedCharge = (given: z.infer<typeof charge>, occurredAt: Date): StripeRefund => ({
  kind: 'refund',
  paymentId: given.payment_intent ?? given.id,
  refundedGross: toMinorUnits(given.amount_refunded, given.currency),
  currency: given.currency,
  occurredAt,
});

export const refund = z.object({
  id: stripeId,
  charge: optionalReference,
  payment_intent: optionalReference,
  amount,
  currency: currencyCode,
  status: stripeWord.nullish(),
});

const CAME_TO_NOTHING = ['failed', 'canceled'];

/** Null for a refund of no payment. */
export const readRefund = (given: z.infer<typeof refund>, occurredAt: Date): StripeRefundState | null => {
  const paymentId = given.payment_intent ?? given.charge ?? null;
  if (paymentId === null) return null;
  const { id: refundId, currency, status } = given;
  const isLive = !CAME_TO_NOTHING.includes(status ?? '');
  return {
    kind: 'refund_state',
    paymentId,
    refundId,
    amount: toMinorUnits(given.amount, currency),
    currency,
    isLive,
    occurredAt,
  };
};

/** What was authorized and not captured. An event that does not tell what was authorized releases nothing. */
const releasedOf = (authorized: number | null | undefined, captured: number, currency: string): number =>
  toMinorUnits(Math.max(0, (authorized ?? 0) - captured), currency);

export const capturedCharge = z.object({
  id: stripeId,
  payment_intent: optionalReference,
  amount: amount.nullish(),
  amount_captured: amount,
  currency: currencyCode,
});

export const readCapturedCharge = (given: z.infer<typeof capturedCharge>, occurredAt: Date): StripeCapture => ({
  kind: 'capture',
  paymentId: given.payment_intent ?? given.id,
  capturedGross: toMinorUnits(given.amount_captured, given.currency),
  releasedGross: releasedOf(given.amount, given.amount_captured, given.currency),
  currency: given.currency,
  occurredAt,
});

export const paymentIntent = z.object({
  id: stripeId,
  amount: amount.nullish(),
  amount_received: amount,
  currency: currencyCode,
  capture_method: stripeWord.nullish(),
});

/** Null for a payment that was not authorized first: its session or invoice tells of it. */
export const readSucceededIntent = (given: z.infer<typeof paymentIntent>, occurredAt: Date): StripeCapture | null => {
  if (given.capture_method !== 'manual') return null;
  const { id: paymentId, currency } = given;
  const capturedGross = toMinorUnits(given.amount_received, currency);
  const releasedGross = releasedOf(given.amount, given.amount_received, currency);
  return { kind: 'capture', paymentId, capturedGross, releasedGross, currency, occurredAt };
};

export const dispute = z.object({
  id: stripeId,
  charge: reference,
  payment_intent: optionalReference,
  amount,
  currency: currencyCode,
  status: stripeWord,
});

type Dispute = z.infer<typeof dispute>;

const toFact = (given: Dispute, status: StripeDispute['status'], occurredAt: Date): StripeDispute => ({
  kind: 'dispute',
  paymentId: given.payment_intent ?? given.charge,
  disputeId: given.id,
  status,
  disputedGross: toMinorUnits(given.amount, given.currency),
  currency: given.currency,
  occurredAt,
});

/** Inquiries of a bank are disputes too: the money may be withdrawn. */
export const readOpenedDispute = (given: Dispute, occurredAt: Date): StripeDispute => toFact(given, 'opened', occurredAt);

/** `won`, `warning_closed`, `prevented` and whatever Stripe adds: only `lost` takes money. */
export const readClosedDispute = (given: Dispute, occurredAt: Date): StripeDispute =>
  toFact(given, given.status === 'lost' ? 'lost' : 'closed', occurredAt);

export const invoicePayment = z.object({
  invoice: reference,
  payment: z.object({ payment_intent: optionalReference, charge: optionalReference }),
});

/** Null for a payment outside Stripe, which can be neither refunded nor disputed there. */
export const readInvoicePayment = ({ invoice, payment }: z.infer<typeof invoicePayment>): StripeInvoicePayment | null => {
  const paymentId = payment.payment_intent ?? payment.charge ?? null;
  return paymentId === null ? null : { kind: 'invoice_payment', paymentId, invoiceId: invoice };
};

export const promotionCode = z.object({ id: stripeId, code: promotionText });

/** Null for a text that no coupon of an affiliate can have as its code. */
export const readPromotionCode = ({ id, code }: z.infer<typeof promotionCode>): StripePromotionCode | null =>
  COUPON_CODE.test(code) ? { kind: 'promotion_code', promotionCodeId: id, code } : null;
