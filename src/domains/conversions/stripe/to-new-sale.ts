import type { FieldCipher } from '../../../platform/crypto/field-cipher.ts';
import { emailFields, guestIdOf, hashOf, NO_EMAIL } from '../sale-events.wire.ts';
import type { NewIdentification, NewSale, SaleEvidence } from '../sale-input.ts';
import type { StripeCustomer, StripeSale, StripeSignUp } from './stripe-fact.ts';

const personOf = (cipher: FieldCipher, { email }: StripeCustomer) => (email ? emailFields(cipher, email) : NO_EMAIL);

/** A guest has no id at Stripe: payments with the same email address are of one customer. */
const customerIdOf = ({ id }: StripeCustomer, emailDigest: string | null, fallback: string): string =>
  id ?? (emailDigest === null ? fallback : guestIdOf(emailDigest));

/** `payloadHash` covers the money and the customer; metadata may be changed at Stripe at any time. */
export const toNewSale = (cipher: FieldCipher, programId: string, fact: StripeSale): NewSale => {
  const person = personOf(cipher, fact.customer);
  const { externalId, amount, chargedGross, currency, subscriptionId, stripeSessionId, metadata, occurredAt } = fact;
  const customerId = customerIdOf(fact.customer, person.customerEmailDigest, externalId);
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
  ...personOf(cipher, fact.customer),
  evidence,
  occurredAt: fact.occurredAt,
  payloadHash: hashOf([fact.customer.id, fact.invoiceId, fact.attributedAt]),
});
