import { z } from 'zod';
import { DAY_MS } from '../../../platform/clock.ts';
import { usable } from '../../../platform/http/lenient.ts';
import { buyerEmail } from '../record/evidence.wire.ts';
import { couponCodesOf, discountObject, discounts, hasEvidence, oneDiscount, readEvidence } from './stripe-evidence.rules.ts';
import type { StripeDiscount, StripeSignUp } from './stripe-fact.rules.ts';
import { metadata, optionalReference, stripeId, time } from './stripe-fields.rules.ts';

const who = { customer: optionalReference, customer_account: optionalReference };

const customerIdIn = (given: { customer?: string | null | undefined; customer_account?: string | null | undefined }) =>
  given.customer ?? given.customer_account ?? null;

/** Evidence of the first day counts from the creation of its object, as late evidence counts for a sale. */
const creationOf = (created: Date | null | undefined, eventAt: Date): Date | null =>
  created && eventAt.getTime() - created.getTime() < DAY_MS ? created : null;

export const subscription = z
  .object({
    id: stripeId,
    created: time.nullish(),
    ...who,
    latest_invoice: optionalReference,
    metadata,
    discounts,
    // Before API version 2025-03-31.
    discount: oneDiscount,
  })
  .transform(usable);

/** The metadata and the discounts of a subscription are evidence for its customer, and on its first day for its first invoice. */
export const readSubscription = (given: z.infer<typeof subscription>, occurredAt: Date): StripeSignUp | null => {
  const id = customerIdIn(given);
  const named = [...(given.discount ? [given.discount] : []), ...(given.discounts ?? [])];
  const evidence = readEvidence(given.metadata ?? {}, { discounts: named });
  if (id === null || !hasEvidence(evidence)) return null;
  const createdAt = creationOf(given.created, occurredAt);
  const invoiceId = createdAt && (given.latest_invoice ?? null);
  const facts = { evidence, unusable: given.unusable, attributedAt: createdAt ?? occurredAt, occurredAt };
  return { kind: 'sign_up', object: 'subscription', customer: { id, email: null }, invoiceId, ...facts };
};

export const customer = z.object({ id: stripeId, created: time.nullish(), email: buyerEmail, metadata }).transform(usable);

/** The metadata of a customer is evidence for all that the customer pays. */
export const readCustomer = (given: z.infer<typeof customer>, occurredAt: Date): StripeSignUp | null => {
  const evidence = readEvidence(given.metadata ?? {});
  if (!hasEvidence(evidence)) return null;
  const attributedAt = creationOf(given.created, occurredAt) ?? occurredAt;
  const payer = { id: given.id, email: given.email ?? null };
  const facts = { evidence, unusable: given.unusable, attributedAt, occurredAt };
  return { kind: 'sign_up', object: 'customer', customer: payer, invoiceId: null, ...facts };
};

export const customerDiscount = discountObject.extend({
  id: stripeId,
  ...who,
  invoice: optionalReference,
  start: time.nullish(),
});

/** Invoices name a discount by its id only. It is evidence for its customer too, since it began. */
export const readDiscount = (given: z.infer<typeof customerDiscount>, occurredAt: Date): StripeDiscount => {
  const { id: discountId } = given;
  const id = customerIdIn(given);
  const couponCodes = couponCodesOf([given]);
  const evidence = { programId: null, couponCodes };
  const facts = { evidence, unusable: [], attributedAt: given.start ?? occurredAt, occurredAt };
  const signUp = { kind: 'sign_up', object: 'discount', invoiceId: given.invoice ?? null, ...facts } as const;
  const isEvidence = id !== null && hasEvidence(evidence);
  return { kind: 'discount', discountId, couponCodes, signUp: isEvidence ? { ...signUp, customer: { id, email: null } } : null };
};
