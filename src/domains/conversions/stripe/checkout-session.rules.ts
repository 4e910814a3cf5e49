import { z } from 'zod';
import { lenient, usable } from '../../../platform/http/lenient.ts';
import { buyerEmail } from '../record/evidence.wire.ts';
import { discounts, hasEvidence, ownMetadata, readEvidence } from './stripe-evidence.rules.ts';
import type { StripeSale, StripeSession, StripeSignUp } from './stripe-fact.rules.ts';
import {
  amount,
  currencyCode,
  metadata,
  optionalReference,
  stripeId,
  stripeWord,
  time,
  toMinorUnits,
} from './stripe-fields.rules.ts';

export const checkoutSession = z
  .object({
    id: stripeId,
    mode: stripeWord,
    payment_status: stripeWord,
    created: time,
    amount_total: amount.nullish(),
    currency: currencyCode.nullish(),
    total_details: z.object({ amount_tax: amount }).nullish(),
    customer: optionalReference,
    customer_account: optionalReference,
    customer_details: z.object({ email: buyerEmail }).nullish(),
    client_reference_id: lenient(z.string().max(500)),
    payment_intent: optionalReference,
    invoice: optionalReference,
    discounts,
    metadata,
  })
  .transform(usable);

type CheckoutSession = z.infer<typeof checkoutSession>;

const customerOf = (session: CheckoutSession) => ({
  id: session.customer ?? session.customer_account ?? null,
  email: session.customer_details?.email ?? null,
});

const evidenceOf = (session: CheckoutSession) =>
  readEvidence(session.metadata ?? {}, { clientReferenceId: session.client_reference_id, discounts: session.discounts });

const readSale = (session: CheckoutSession, occurredAt: Date): StripeSale | null => {
  const { amount_total: total, currency } = session;
  if (!total || !currency) return null;
  const net = toMinorUnits(total - (session.total_details?.amount_tax ?? 0), currency);
  if (net <= 0) return null;
  return {
    kind: 'sale',
    externalId: session.payment_intent ?? session.id,
    amount: net,
    chargedGross: toMinorUnits(total, currency),
    currency,
    customer: customerOf(session),
    subscriptionId: null,
    stripeSessionId: session.id,
    metadata: ownMetadata(session.metadata ?? {}),
    evidence: evidenceOf(session),
    unusable: session.unusable,
    occurredAt,
  };
};

/** The invoices of a subscription are its sales; the session only says where the customer came from. */
const readSignUp = (session: CheckoutSession, occurredAt: Date): StripeSignUp | null => {
  const { id, email } = customerOf(session);
  const evidence = evidenceOf(session);
  if (id === null || !hasEvidence(evidence)) return null;
  const customer = { id, email };
  // The session is completed after its first payment, so its completion says nothing about who came first.
  const facts = { evidence, unusable: session.unusable, attributedAt: session.created, occurredAt };
  return { kind: 'sign_up', object: 'checkout_session', customer, invoiceId: session.invoice ?? null, ...facts };
};

/**
 * A paid session is a sale. An unpaid one waits for `checkout.session.async_payment_succeeded`, which is read alike, or for its payment
 * to be captured.
 */
export const readCheckoutSession = (
  session: CheckoutSession,
  occurredAt: Date,
): StripeSale | StripeSession | StripeSignUp | null => {
  if (session.mode === 'subscription') return readSignUp(session, occurredAt);
  const sale = session.mode === 'payment' ? readSale(session, occurredAt) : null;
  if (sale === null || session.payment_status === 'paid') return sale;
  return session.payment_status === 'unpaid' && session.payment_intent ? { kind: 'session', sale } : null;
};
