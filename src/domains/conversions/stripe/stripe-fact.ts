import type { DisputeStatus } from '../../../contracts/conversions.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';
import type { StripeEvidence } from './stripe-evidence.ts';

/** Who paid, as Stripe knows them. */
export interface StripeCustomer {
  /** Null for a guest. */
  id: string | null;
  email: string | null;
}

export interface StripeSale {
  kind: 'sale';
  /** The payment intent of a Checkout Session, or the invoice of a subscription. */
  externalId: string;
  /** After discount and before tax, in minor units. */
  amount: number;
  /** What the customer was charged, with tax. */
  chargedGross: number;
  currency: string;
  customer: StripeCustomer;
  subscriptionId: string | null;
  stripeSessionId: string | null;
  metadata: Record<string, string> | null;
  evidence: StripeEvidence;
  unusable: readonly UnusableMember[];
  occurredAt: Date;
  /** The payment of an invoice, where the invoice names it: before API version 2025-03-31. */
  paymentId?: string | null;
}

/** A Checkout Session or a free trial of a subscription: it brings evidence and no money. */
export interface StripeSignUp {
  kind: 'sign_up';
  customer: StripeCustomer & { id: string };
  /** The first invoice of the subscription. */
  invoiceId: string | null;
  evidence: StripeEvidence;
  unusable: readonly UnusableMember[];
  attributedAt: Date;
  occurredAt: Date;
}

/** Which invoice a payment pays. */
export interface StripeInvoicePayment {
  kind: 'invoice_payment';
  paymentId: string;
  invoiceId: string;
}

export interface StripeRefund {
  kind: 'refund';
  paymentId: string;
  /** All refunds of the payment so far, in minor units. */
  refundedGross: number;
  currency: string;
  occurredAt: Date;
}

export interface StripeDispute {
  kind: 'dispute';
  paymentId: string;
  disputeId: string;
  status: DisputeStatus;
  disputedGross: number;
  currency: string;
  occurredAt: Date;
}

/** What customers type for a promotion code, which payments name by its id. */
export interface StripePromotionCode {
  kind: 'promotion_code';
  promotionCodeId: string;
  code: string;
}

/** What an event says, independent of its shape. Null: nothing that matters here, such as a zero-amount invoice. */
export type StripeFact = StripeSale | StripeSignUp | StripeInvoicePayment | StripeRefund | StripeDispute | StripePromotionCode;
