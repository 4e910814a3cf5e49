import type { FieldCipher } from '../../../platform/crypto/field-cipher.ts';
import { customerIdOf, emailFields } from '../record/customer.rules.ts';
import { hashOf } from '../record/sale-events.wire.ts';
import type { NewIdentification, NewSale, SaleEvidence } from '../record/sale-input.steps.ts';
import type { StripeCustomer, StripePayer, StripeSale, StripeSignUp } from './stripe-fact.rules.ts';

/** A guest has no id at Stripe: payments with the same email address are of one customer. `fallback`: the id of one without an address. */
export const payerOf = (cipher: FieldCipher, customer: StripeCustomer | StripePayer, fallback: string): StripePayer => {
  if ('customerId' in customer) return customer;
  const person = emailFields(cipher, customer.email);
  return { customerId: customerIdOf(customer.id, person.customerEmailDigest) ?? fallback, ...person };
};

/** `payloadHash` covers the money and the customer; metadata may be changed at Stripe at any time. */
export const toNewSale = (cipher: FieldCipher, programId: string, fact: StripeSale): NewSale => {
  const { externalId, amount, chargedGross, currency, subscriptionId, stripeSessionId, metadata, occurredAt } = fact;
  const payer = payerOf(cipher, fact.customer, externalId);
  return {
    programId,
    provider: 'stripe',
    externalId,
    payloadHash: hashOf([amount, chargedGross, currency, payer.customerId, subscriptionId]),
    amount,
    chargedGross,
    currency,
    ...payer,
    subscriptionId,
    stripeSessionId,
    metadata,
    occurredAt,
  };
};

export const toIdentification = (cipher: FieldCipher, fact: StripeSignUp, evidence: SaleEvidence): NewIdentification => ({
  provider: 'stripe',
  customerId: fact.customer.id,
  ...emailFields(cipher, fact.customer.email),
  evidence,
  occurredAt: fact.occurredAt,
  payloadHash: hashOf([fact.customer.id, fact.invoiceId, fact.attributedAt]),
});
