import type { FieldCipher } from '../../../platform/crypto/field-cipher.ts';
import { customerIdOf, emailFields } from '../customer.ts';
import { hashOf } from '../sale-events.wire.ts';
import type { NewIdentification, NewSale, SaleEvidence } from '../sale-input.ts';
import type { StripeSale, StripeSignUp } from './stripe-fact.ts';

/** `payloadHash` covers the money and the customer; metadata may be changed at Stripe at any time. */
export const toNewSale = (cipher: FieldCipher, programId: string, fact: StripeSale): NewSale => {
  const person = emailFields(cipher, fact.customer.email);
  const { externalId, amount, chargedGross, currency, subscriptionId, stripeSessionId, metadata, occurredAt } = fact;
  // A guest has no id at Stripe.
  const customerId = customerIdOf(fact.customer.id, person.customerEmailDigest) ?? externalId;
  return {
    programId,
    provider: 'stripe',
    externalId,
    payloadHash: hashOf([amount, chargedGross, currency, customerId, subscriptionId]),
    amount,
    chargedGross,
    currency,
    customerId,
    ...person,
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
