import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SALE_EVENT_TYPES, SALE_OUTCOMES, UNATTRIBUTED_REASONS } from '../../../contracts/conversions.ts';
import type { FieldCipher } from '../../../platform/crypto/field-cipher.ts';
import { invalidField } from '../../../platform/errors.ts';
import { isBlank, isEmptyList, usable } from '../../../platform/http/lenient.ts';
import { currency, instant, positiveAmount, uuid, withTextsOf } from '../../../platform/http/schemas.ts';
import { externalId, saleSchema, unusableSchema } from '../lists/sales.wire.ts';
import { customerIdOf, emailFields } from './customer.rules.ts';
import { customerFields, evidenceFields, saleMetadata, subscriptionId } from './evidence.wire.ts';
import type { NewDispute, NewIdentification, NewRefund, NewSale, RefundReference, SaleEvidence } from './sale-input.steps.ts';

/** No event depends on it, so that none is refused for it. */
const timestamp = z
  .unknown()
  .meta({ override: { type: ['string', 'null'], format: 'date-time', maxLength: 35 } })
  .optional()
  .describe('When you sent the event (ISO 8601). Nothing depends on it, and a repeat has another one. Left out: not known');

/** A customer that is no object is its id. */
const toCustomer = (given: unknown): unknown => {
  if (isBlank(given) || isEmptyList(given)) return undefined;
  return typeof given === 'object' && !Array.isArray(given) ? given : { id: given };
};

const customer = z.preprocess(toCustomer, z.strictObject(customerFields).nullish()).optional();

const saleCompleted = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[0]).describe('Event type'),
  timestamp,
  data: z
    .strictObject({
      saleId: externalId.describe('Your id of the sale, unique per program. A repeat with the same data changes nothing'),
      amount: positiveAmount.describe('Amount that the customer paid'),
      currency: currency.describe("ISO 4217 code, any case. Must be the program's currency"),
      occurredAt: instant.describe('When it happened at the payment system'),
      customer: customer.describe('Who paid. Left out: not known, and later payments are not recognized'),
      subscriptionId,
      ...evidenceFields,
      metadata: saleMetadata,
    })
    .transform(usable)
    .describe('The sale that was paid'),
});

const saleRefunded = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[1]).describe('Event type'),
  timestamp,
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
  timestamp,
  data: z
    .strictObject({
      customer: customer.describe('Who signed up, by `id`, `email` or both. Left out: the event is refused'),
      occurredAt: instant.describe('When it happened at the payment system'),
      ...evidenceFields,
    })
    .transform(usable)
    .describe('The customer, and what led to the sign-up'),
});

const refundReversed = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[3]).describe('Event type'),
  timestamp,
  data: z
    .strictObject({
      saleId: saleRefunded.shape.data.shape.saleId,
      refundId: externalId.describe('Your id of the refund that came to nothing'),
    })
    .describe('The refund whose money did not reach the customer, and its sale'),
});

/** A dispute is about all of its sale. */
const disputeFields = {
  saleId: saleRefunded.shape.data.shape.saleId,
  disputeId: externalId.describe('Your id of the dispute, unique per program'),
};

const saleDisputed = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[4]).describe('Event type'),
  timestamp,
  data: z.strictObject(disputeFields).describe('The dispute, and the sale that it is about'),
});

const disputeClosed = z.strictObject({
  type: z.literal(SALE_EVENT_TYPES[5]).describe('Event type'),
  timestamp,
  data: z
    .strictObject({
      ...disputeFields,
      won: z
        .boolean()
        .describe(
          'true: you keep the money, or the dispute was withdrawn. false: the customer gets it back, as by a full refund',
        ),
    })
    .describe('The dispute that ended, and its sale'),
});

export const saleEventSchema = z.discriminatedUnion('type', [
  saleCompleted.meta({ id: 'SaleCompletedEvent' }),
  saleRefunded.meta({ id: 'SaleRefundedEvent' }),
  customerIdentified.meta({ id: 'CustomerIdentifiedEvent' }),
  refundReversed.meta({ id: 'SaleRefundReversedEvent' }),
  saleDisputed.meta({ id: 'SaleDisputedEvent' }),
  disputeClosed.meta({ id: 'SaleDisputeClosedEvent' }),
]);

export const saleResultSchema = z
  .object(
    withTextsOf(saleSchema, {
      outcome: z.enum(SALE_OUTCOMES).describe('What was done with the event'),
      conversionId: uuid.nullable(),
      reason: z.enum(UNATTRIBUTED_REASONS).optional().describe('Of a new sale that is `unattributed`: why nobody is credited'),
      unusable: unusableSchema
        .optional()
        .describe('Fields of a new sale or sign-up that could not be used. Absent if there are none'),
    }),
  )
  .meta({ id: 'SaleEventResult' });

/** Response to a sale event. */
export type SaleResult = z.infer<typeof saleResultSchema>;

/** `payloadHash` of an event's values. */
export const hashOf = (values: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(values)).digest('hex');

const valuesOf = ({ clickToken, couponCode, referralCode }: SaleEvidence) =>
  [clickToken, couponCode, referralCode].map((value) => value ?? null);

/** In one order, whatever that of the keys was. */
const sortedEntries = (metadata: Record<string, string> | undefined) =>
  metadata ? Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)) : null;

/** `payloadHash` covers everything but the ids. `cipher` hashes the customer's email address. */
export const toSale = (cipher: FieldCipher, programId: string, data: z.infer<typeof saleCompleted>['data']): NewSale => {
  const occurredAt = new Date(data.occurredAt);
  const buyer = emailFields(cipher, data.customer?.email);
  const customerId =
    customerIdOf(data.customer?.id ?? data.customer?.stripeCustomerId, buyer.customerEmailDigest) ?? `sale_${data.saleId}`;
  const payload = [data.amount, data.currency, occurredAt, customerId, buyer.customerEmailDigest, data.subscriptionId ?? null];
  return {
    programId,
    provider: 'events',
    externalId: data.saleId,
    payloadHash: hashOf([...payload, ...valuesOf(data), sortedEntries(data.metadata)]),
    amount: data.amount,
    chargedGross: null,
    currency: data.currency,
    customerId,
    ...buyer,
    stripeCustomerId: data.customer?.stripeCustomerId ?? null,
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

type DisputeData = z.infer<typeof saleDisputed>['data'] & { won?: boolean };

/** `won` is left out for a dispute that was opened. */
export const toDispute = (programId: string, { saleId, disputeId, won }: DisputeData): NewDispute => ({
  sale: { programId, provider: 'events', externalId: saleId },
  disputeId,
  status: won === undefined ? 'opened' : won ? 'closed' : 'lost',
});

export const toReversal = (programId: string, data: z.infer<typeof refundReversed>['data']): RefundReference => ({
  programId,
  provider: 'events',
  externalId: data.refundId,
  externalSaleId: data.saleId,
});

/** 422 for a sign-up of nobody: it would attribute no later sale. */
export const toIdentification = (cipher: FieldCipher, data: z.infer<typeof customerIdentified>['data']): NewIdentification => {
  const occurredAt = new Date(data.occurredAt);
  const person = emailFields(cipher, data.customer?.email);
  const customerId = customerIdOf(data.customer?.id ?? data.customer?.stripeCustomerId, person.customerEmailDigest);
  if (customerId === null) throw invalidField('data.customer.id', 'is required without an email address');
  return {
    provider: 'events',
    customerId,
    ...person,
    stripeCustomerId: data.customer?.stripeCustomerId ?? null,
    evidence: toEvidence(data),
    occurredAt,
    payloadHash: hashOf([customerId, person.customerEmailDigest, occurredAt, ...valuesOf(data)]),
  };
};
