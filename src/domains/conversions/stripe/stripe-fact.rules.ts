import type { DisputeStatus } from '../../../contracts/conversions.ts';
import type { UnusableMember } from '../../../platform/http/lenient.ts';
import type { StripeEvidence } from './stripe-evidence.rules.ts';

/** Who paid, as Stripe knows them. */
export interface StripeCustomer {
  /** Null for a guest. */
  id: string | null;
  email: string | null;
}

/** As a sale stores them, without the email address itself. */
export interface StripePayer {
  customerId: string;
  customerEmailDigest: string | null;
  customerCanonicalDigest: string | null;
  customerEmailDomain: string | null;
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
  customer: StripeCustomer | StripePayer;
  subscriptionId: string | null;
  stripeSessionId: string | null;
  metadata: Record<string, string> | null;
  evidence: StripeEvidence;
  unusable: readonly UnusableMember[];
  occurredAt: Date;
  /** The payment of an invoice, where the invoice names it: before API version 2025-03-31. */
  paymentId?: string | null;
}

/** A Checkout Session whose payment is authorized or on its way: a sale once the money is there. */
export interface StripeSession {
  kind: 'session';
  sale: StripeSale;
}

/** An authorized payment was captured, in part or in full. */
export interface StripeCapture {
  kind: 'capture';
  paymentId: string;
  /** With tax. */
  capturedGross: number;
  /** Authorized and never captured, with tax. */
  releasedGross: number;
  currency: string;
  occurredAt: Date;
}

/** A Checkout Session or a free trial of a subscription, or what is said of a customer: it brings evidence and no money. */
export interface StripeSignUp {
  kind: 'sign_up';
  /** What brings the evidence. */
  object: 'checkout_session' | 'invoice' | 'subscription' | 'customer' | 'discount';
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

/** One refund in the state that an event tells. */
export interface StripeRefundState {
  kind: 'refund_state';
  paymentId: string;
  refundId: string;
  /** With tax. */
  amount: number;
  currency: string;
  /** Neither failed nor canceled: one that is on its way counts. */
  isLive: boolean;
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

/** What invoices and subscriptions name by the id of the discount alone. */
export interface StripeDiscount {
  kind: 'discount';
  discountId: string;
  /** Ids of its promotion code and coupon. */
  couponCodes: readonly string[];
  /** Null without a customer. */
  signUp: StripeSignUp | null;
}

/** What an event says, independent of its shape. Null: nothing that matters here, such as a zero-amount invoice. */
export type StripeFact =
  | StripeSale
  | StripeSession
  | StripeCapture
  | StripeSignUp
  | StripeInvoicePayment
  | StripeRefund
  | StripeRefundState
  | StripeDispute
  | StripePromotionCode
  | StripeDiscount;

/** What a session sells, apart from who pays. As JSON. */
export type StoredSession = Omit<StripeSale, 'kind' | 'customer' | 'occurredAt'> & { occurredAt: string };
