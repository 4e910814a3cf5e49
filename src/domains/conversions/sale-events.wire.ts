import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SALE_EVENT_TYPES, SALE_OUTCOMES, UNATTRIBUTED_REASONS } from '../../contracts/conversions.ts';
import type { FieldCipher } from '../../platform/crypto/field-cipher.ts';
import { emailDigest } from '../../platform/email.ts';
import { currency, instant, line, ownMetadata, positiveAmount, uuid, withTextsOf } from '../../platform/http/schemas.ts';
import type { NewIdentification, NewRefund, NewSale, SaleEvidence } from './sale-input.ts';
import { externalId, saleSchema } from './sales.wire.ts';

/** Codes are compared without case. */
const code = (max: number) => line(max).toLowerCase();
const email = z
  .email()
  .max(320)
  .describe('Email address, stored as a keyed hash, which the fraud rules compare with those of affiliates');

const evidence = {
  clickToken: line(200)
    .optional()
    .describe('Token of the click that led to the sale or sign-up (`clk_…`). Left out: no evidence of a click'),
  couponCode: code(100)
    .optional()
    .describe(
      'Coupon that the customer used, any case. It is stronger than a click and a referral code. Left out: no evidence of a coupon',
    ),
  referralCode: code(50).optional().describe('Code of the affiliate, any case. Left out: no evidence of a code'),
};

const saleCompleted = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[0]).describe('Event type'),
  timestamp: instant.describe('Time of sending; not compared when the event is repeated'),
  data: z
    .strictObject({
      saleId: externalId.describe('Your id of the sale, unique per program. A repeat with the same data changes nothing'),
      amount: positiveAmount.describe('Amount that the customer paid'),
      currency: currency.describe("ISO 4217 code, any case. Must be the program's currency"),
      occurredAt: instant.describe('When it happened at the payment system'),
      customer: z
        .strictObject({ id: externalId.describe('Your id of the customer, which recognizes later payments'), email })
        .describe('Who paid'),
      subscriptionId: externalId
        .optional()
        .describe('Your id of the subscription, for recurring payments. Left out: a single payment'),
      ...evidence,
      metadata: ownMetadata
        .optional()
        .describe('Data of your own that came with the sale: at most 20 text values, and 2 KB in total. Default: none'),
    })
    .describe('The sale that was paid'),
});

const saleRefunded = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[1]).describe('Event type'),
  timestamp: saleCompleted.shape.timestamp,
  data: z
    .strictObject({
      saleId: externalId.describe('Your id of the sale, unique per program. A repeat with the same data changes nothing'),
      refundId: externalId.describe('Your id of the refund, unique per program'),
      amount: positiveAmount.describe('Amount of this refund; all refunds together at most the amount of the sale'),
      occurredAt: instant.describe('When it happened at the payment system'),
    })
    .describe('The refund, and the sale that it belongs to'),
});

const customerIdentified = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[2]).describe('Event type'),
  timestamp: saleCompleted.shape.timestamp,
  data: z
    .strictObject({
      customer: z
        .strictObject({
          id: externalId.describe('Your id of the customer, which recognizes later payments'),
          email: email
            .optional()
            .describe(
              'Email address, stored as a keyed hash. Optional in a sign-up, required in a sale. Left out: it is not compared with those of affiliates',
            ),
        })
        .describe('Who paid'),
      occurredAt: instant.describe('When it happened at the payment system'),
      ...evidence,
    })
    .describe('The customer, and what led to the sign-up'),
});

export const saleEventSchema = z.discriminatedUnion('type', [
  saleCompleted.meta({ id: 'SaleCompletedEvent' }),
  saleRefunded.meta({ id: 'SaleRefundedEvent' }),
  customerIdentified.meta({ id: 'CustomerIdentifiedEvent' }),
]);

export const saleResultSchema = z
  .object(
    withTextsOf(saleSchema, {
      outcome: z.enum(SALE_OUTCOMES).describe('What was done with the event'),
      conversionId: uuid.nullable(),
      reason: z.enum(UNATTRIBUTED_REASONS).optional().describe('Of a new sale that is `unattributed`: why nobody is credited'),
    }),
  )
  .meta({ id: 'SaleEventResult' });

/** Response to a sale event. */
export type SaleResult = z.infer<typeof saleResultSchema>;

/** `payloadHash` of an event's values. */
export const hashOf = (values: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(values)).digest('hex');

/** What is stored of an email address. */
export const emailFields = (cipher: FieldCipher, address: string) => {
  const canonical = address.trim().toLowerCase();
  return {
    customerEmailDigest: cipher.digest(canonical, 'customer-email'),
    customerCanonicalDigest: emailDigest(cipher, address),
    customerEmailDomain: canonical.slice(canonical.lastIndexOf('@') + 1),
  };
};

/** The customer id of payments that name an email address and no customer. */
export const guestIdOf = (emailDigest: string): string => `guest_${emailDigest.slice(0, 32)}`;

/** What sales and sign-ups store of a customer with this address: its keyed hash, and the customer ids that name the person. */
export const customerIdsOf = (cipher: FieldCipher, address: string): { digest: string; ids: string[] } => {
  const digest = emailFields(cipher, address).customerEmailDigest;
  return { digest, ids: [address, guestIdOf(digest)] };
};

const valuesOf = ({ clickToken, couponCode, referralCode }: SaleEvidence) =>
  [clickToken, couponCode, referralCode].map((value) => value ?? null);

/** In one order, whatever that of the keys was. */
const sortedEntries = (metadata: Record<string, string> | undefined) =>
  metadata ? Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)) : null;

/** `payloadHash` covers everything but the ids. `cipher` hashes the customer's email address. */
export const toSale = (cipher: FieldCipher, programId: string, data: z.infer<typeof saleCompleted>['data']): NewSale => {
  const occurredAt = new Date(data.occurredAt);
  const buyer = emailFields(cipher, data.customer.email);
  const payload = [
    data.amount,
    data.currency,
    occurredAt,
    data.customer.id,
    buyer.customerEmailDigest,
    data.subscriptionId ?? null,
  ];
  return {
    programId,
    provider: 'events',
    externalId: data.saleId,
    payloadHash: hashOf([...payload, ...valuesOf(data), sortedEntries(data.metadata)]),
    amount: data.amount,
    chargedGross: null,
    currency: data.currency,
    customerId: data.customer.id,
    ...buyer,
    subscriptionId: data.subscriptionId ?? null,
    stripeSessionId: null,
    metadata: data.metadata ?? null,
    occurredAt,
  };
};

export const toEvidence = ({ clickToken, couponCode, referralCode }: SaleEvidence): SaleEvidence => ({
  clickToken,
  couponCode,
  referralCode,
});

export const toRefund = (programId: string, data: z.infer<typeof saleRefunded>['data']): NewRefund => {
  const occurredAt = new Date(data.occurredAt);
  return {
    programId,
    provider: 'events',
    externalId: data.refundId,
    externalSaleId: data.saleId,
    payloadHash: hashOf([data.saleId, data.amount, occurredAt.toISOString()]),
    amount: data.amount,
    occurredAt,
  };
};

export const toIdentification = (cipher: FieldCipher, data: z.infer<typeof customerIdentified>['data']): NewIdentification => {
  const occurredAt = new Date(data.occurredAt);
  const person = data.customer.email ? emailFields(cipher, data.customer.email) : NO_EMAIL;
  return {
    provider: 'events',
    customerId: data.customer.id,
    ...person,
    evidence: toEvidence(data),
    occurredAt,
    payloadHash: hashOf([data.customer.id, person.customerEmailDigest, occurredAt, ...valuesOf(data)]),
  };
};

export const NO_EMAIL = { customerEmailDigest: null, customerCanonicalDigest: null, customerEmailDomain: null };
