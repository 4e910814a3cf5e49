import type { DisputeStatus, SaleProvider } from '../../../contracts/conversions.ts';
import { after, MINUTE_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';

/** A payment system's id of a sale or refund. */
export interface ExternalReference {
  programId: string;
  provider: SaleProvider;
  externalId: string;
}

export interface NewSale extends ExternalReference {
  /** Equal for two events with the same data. */
  payloadHash: string;
  /** Minor units; what the commission is computed from. */
  amount: number;
  /** What the customer was charged, with tax, in minor units. Null: the amount. */
  chargedGross: number | null;
  currency: string;
  customerId: string;
  customerEmailDigest: string | null;
  /** The same for all spellings of one mailbox. */
  customerCanonicalDigest: string | null;
  customerEmailDomain: string | null;
  /** Set by an event that is not Stripe's: it joins what both say about the customer. */
  stripeCustomerId?: string | null | undefined;
  subscriptionId: string | null;
  stripeSessionId: string | null;
  metadata: Record<string, string> | null;
  occurredAt: Date;
}

/** `externalId` is that of the refund. */
export interface RefundReference extends ExternalReference {
  externalSaleId: string;
}

export interface NewRefund extends RefundReference {
  /** Equal for two events with the same data. */
  payloadHash: string;
  /** Minor units. */
  amount: number;
  occurredAt: Date;
}

/** A dispute of a customer or a bank, in the state that an event tells. */
export interface NewDispute {
  sale: ExternalReference;
  disputeId: string;
  status: DisputeStatus;
}

/** What leads from a sale or a sign-up to an affiliate. Codes are compared without case. */
export interface SaleEvidence {
  couponCode?: string | undefined;
  clickToken?: string | undefined;
  referralCode?: string | undefined;
  /** Time since which the customer counts as attributed if no click says it. Default: the time of the sale or sign-up. */
  attributedAt?: Date | undefined;
}

/** A sign-up or trial. */
export interface NewIdentification {
  provider: SaleProvider;
  customerId: string;
  customerEmailDigest: string | null;
  customerCanonicalDigest: string | null;
  customerEmailDomain: string | null;
  stripeCustomerId?: string | null | undefined;
  evidence: SaleEvidence;
  occurredAt: Date;
  payloadHash: string;
}

const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

export const assertNotInFuture = (ctx: Context, occurredAt: Date): void => {
  if (occurredAt > after(ctx.clock.now(), CLOCK_TOLERANCE_MS))
    throw invalidField('data.occurredAt', 'must not be more than 5 minutes in the future');
};
