import { z } from 'zod';
import { lenient, usable } from '../../../platform/http/lenient.ts';
import { shareOf } from '../../../platform/money.ts';
import { buyerEmail } from '../record/evidence.wire.ts';
import { discounts, hasEvidence, lineDiscounts, oneDiscount, ownMetadata, readEvidence } from './stripe-evidence.rules.ts';
import type { StripeSale, StripeSignUp } from './stripe-fact.rules.ts';
import {
  amount,
  currencyCode,
  metadata,
  optionalReference,
  reference,
  signedAmount,
  stripeId,
  stripeWord,
  time,
  toMinorUnits,
} from './stripe-fields.rules.ts';

/** More than an invoice of Stripe can have. */
const MAX_TAXES = 1_000;

export const invoice = z
  .object({
    id: stripeId,
    currency: currencyCode,
    amount_due: signedAmount,
    amount_paid: amount,
    amount_paid_off_stripe: amount.nullish(),
    total: signedAmount,
    total_excluding_tax: signedAmount.nullish(),
    total_taxes: z
      .array(z.object({ amount: signedAmount }))
      .max(MAX_TAXES)
      .nullish(),
    billing_reason: lenient(stripeWord),
    customer: optionalReference,
    customer_account: optionalReference,
    customer_email: buyerEmail,
    status_transitions: z.object({ paid_at: time.nullish() }).nullish(),
    parent: z.object({ subscription_details: z.object({ subscription: reference, metadata }).nullish() }).nullish(),
    metadata,
    discounts,
    // Includes the discounts of lines.
    total_discount_amounts: lineDiscounts,
    // Used before API version 2025-03-31.
    subscription: optionalReference,
    discount: oneDiscount,
    subscription_details: z.object({ metadata }).nullish(),
    payment_intent: optionalReference,
    charge: optionalReference,
    tax: signedAmount.nullish(),
  })
  // Without either, an invoice of a subscription looks like any other.
  .refine(({ parent, subscription }) => parent !== undefined || subscription !== undefined, {
    path: ['parent'],
    error: 'is required, as is subscription before API version 2025-03-31',
  })
  .transform(usable);

type Invoice = z.infer<typeof invoice>;

const subscriptionOf = (given: Invoice) => {
  const details = given.parent?.subscription_details;
  return {
    id: details?.subscription ?? given.subscription ?? null,
    metadata: { ...(details?.metadata ?? given.subscription_details?.metadata), ...given.metadata },
  };
};

const netTotal = (given: Invoice): number => {
  const taxes = given.total_taxes?.reduce((sum, tax) => sum + tax.amount, 0) ?? given.tax ?? 0;
  return given.total_excluding_tax ?? given.total - taxes;
};

const discountsOf = (given: Invoice) => [
  ...(given.discount ? [given.discount] : []),
  ...(given.discounts ?? []),
  ...(given.total_discount_amounts ?? []).map((amount) => amount.discount),
];

/** What was paid for this invoice: without the customer's credit, on which a commission was paid before. */
const paidGross = (given: Invoice): number => Math.min(given.amount_due, given.amount_paid + (given.amount_paid_off_stripe ?? 0));

/** The part of the net total that was paid. */
const paidNet = (given: Invoice): number => {
  const paid = paidGross(given);
  const net = netTotal(given);
  return paid >= given.total || net <= 0 ? net : shareOf(net, paid, given.total);
};

/**
 * Every payment of a subscription is a sale; of any other invoice, its Checkout Session is. A click counts for the first invoice
 * only: later ones follow the subscription. A first invoice without a payment is the start of a trial.
 */
export const readInvoice = (given: Invoice, eventAt: Date): StripeSale | StripeSignUp | null => {
  const subscription = subscriptionOf(given);
  if (subscription.id === null) return null;
  const { currency } = given;
  const isFirst = given.billing_reason === 'subscription_create';
  const all = readEvidence(subscription.metadata, { discounts: discountsOf(given) });
  const evidence = isFirst ? all : { ...all, clickToken: undefined };
  const occurredAt = given.status_transitions?.paid_at ?? eventAt;
  const customer = { id: given.customer ?? given.customer_account ?? null, email: given.customer_email ?? null };
  const net = toMinorUnits(paidNet(given), currency);
  if (paidGross(given) <= 0 || net <= 0) {
    const { id } = customer;
    if (id === null || !hasEvidence(evidence)) return null;
    const facts = { evidence, unusable: given.unusable, attributedAt: occurredAt, occurredAt };
    return { kind: 'sign_up', object: 'invoice', customer: { ...customer, id }, invoiceId: null, ...facts };
  }
  return {
    kind: 'sale',
    externalId: given.id,
    amount: net,
    chargedGross: toMinorUnits(paidGross(given), currency),
    currency,
    customer,
    subscriptionId: subscription.id,
    stripeSessionId: null,
    metadata: ownMetadata(subscription.metadata),
    evidence,
    unusable: given.unusable,
    occurredAt,
    paymentId: given.payment_intent ?? given.charge ?? null,
  };
};
