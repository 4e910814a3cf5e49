import { z } from 'zod';
import { STRIPE_OUTCOMES } from '../../../contracts/conversions.ts';
import { optionalMember } from '../../../platform/http/lenient.ts';
import { uuid, withTextsOf } from '../../../platform/http/schemas.ts';
import { issueMessage } from '../../../platform/issue-message.ts';
import { saleSchema } from '../lists/sales.wire.ts';
import { checkoutSession, readCheckoutSession } from './checkout-session.rules.ts';
import {
  customer,
  customerDiscount,
  readCustomer,
  readDiscount,
  readSubscription,
  subscription,
} from './customer-objects.rules.ts';
import { invoice, readInvoice } from './invoice.rules.ts';
import {
  capturedCharge,
  charge,
  dispute,
  invoicePayment,
  paymentIntent,
  promotionCode,
  readCapturedCharge,
  readClosedDispute,
  readInvoicePayment,
  readOpenedDispute,
  readPromotionCode,
  readRefund,
  readRefundedCharge,
  readSucceededIntent,
  refund,
} from './payment-objects.rules.ts';
import type { StripeFact } from './stripe-fact.rules.ts';
import { stripeId, time } from './stripe-fields.rules.ts';
import { detailOf, MAX_DETAIL } from './unreadable.rules.ts';

/** The envelope of all events of Stripe. `account`: the connected account, in events of Stripe Connect. */
export const stripeEventSchema = z
  .looseObject({
    id: stripeId.describe("Stripe's id of the event"),
    type: z.string().min(1).max(255).describe('Event type, for example `invoice.paid`'),
    created: z.int().min(0).describe('When it happened, in Unix seconds'),
    livemode: z.boolean().describe('Whether it happened in live mode'),
    account: optionalMember(stripeId).describe('The connected account; left out for the own account of a merchant'),
    data: z
      .looseObject({
        object: z
          .looseObject({ id: optionalMember(stripeId).describe("Stripe's id of the object") })
          .describe('The object in the API version of the endpoint at Stripe; only what is needed is read'),
      })
      .describe('What the event is about'),
  })
  .meta({ id: 'StripeEvent' });

export type StripeEvent = z.infer<typeof stripeEventSchema>;

export const stripeResultSchema = z
  .object(
    withTextsOf(saleSchema, {
      outcome: z.enum(STRIPE_OUTCOMES).describe('What was done with the event'),
      conversionId: uuid.nullable(),
      detail: z.string().max(MAX_DETAIL).optional().describe('Of an event that `needs_review`: which field is wrong, and why'),
    }),
  )
  .meta({ id: 'StripeEventResult' });

/** Response to an event of Stripe. */
export type StripeEventResult = z.infer<typeof stripeResultSchema>;

/** `ignored`: no program receives the events of the source. */
export type StripeResult = StripeEventResult | 'ignored';

/** An event in another form than expected. */
export class Unreadable {
  /** Names the field and says what is wrong with it. */
  readonly detail: string;

  constructor({ issues }: z.ZodError, at: readonly string[] = []) {
    this.detail = detailOf(issues, at);
  }
}

interface Reader {
  /** Schema of the object that the event is about; null when nothing in it is used. */
  schema: z.ZodType | null;
  read(object: unknown, occurredAt: Date): StripeFact | null | Unreadable;
}

const error = issueMessage('field');

const reader = <S extends z.ZodType>(schema: S, read: (object: z.output<S>, occurredAt: Date) => StripeFact | null): Reader => ({
  schema,
  read(object, occurredAt) {
    const parsed = schema.safeParse(object, { error });
    return parsed.success ? read(parsed.data, occurredAt) : new Unreadable(parsed.error, ['data', 'object']);
  },
});

/** The types to select for an endpoint at Stripe. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['checkout.session.completed', reader(checkoutSession, readCheckoutSession)],
  ['checkout.session.async_payment_succeeded', reader(checkoutSession, readCheckoutSession)],
  ['payment_intent.succeeded', reader(paymentIntent, readSucceededIntent)],
  ['charge.captured', reader(capturedCharge, readCapturedCharge)],
  ['invoice.paid', reader(invoice, readInvoice)],
  ['invoice_payment.paid', reader(invoicePayment, readInvoicePayment)],
  ['charge.refunded', reader(charge, readRefundedCharge)],
  ['refund.created', reader(refund, readRefund)],
  ['refund.updated', reader(refund, readRefund)],
  ['refund.failed', reader(refund, readRefund)],
  ['charge.refund.updated', reader(refund, readRefund)],
  ['charge.dispute.created', reader(dispute, readOpenedDispute)],
  ['charge.dispute.closed', reader(dispute, readClosedDispute)],
  ['promotion_code.created', reader(promotionCode, readPromotionCode)],
  ['promotion_code.updated', reader(promotionCode, readPromotionCode)],
  ['customer.created', reader(customer, readCustomer)],
  ['customer.updated', reader(customer, readCustomer)],
  ['customer.discount.created', reader(customerDiscount, readDiscount)],
  ['customer.discount.updated', reader(customerDiscount, readDiscount)],
  ['customer.subscription.created', reader(subscription, readSubscription)],
  ['customer.subscription.updated', reader(subscription, readSubscription)],
  // Later payments simply do not come.
  ['customer.subscription.deleted', { schema: null, read: () => null }],
]);

/** Only connected accounts send it: it is about the connection, not about a payment. */
export const ACCESS_ENDED = 'account.application.deauthorized';

/** What `stripeEventSchema` leaves open is read with these. */
export const STRIPE_OBJECT_SCHEMAS: readonly z.ZodType[] = [...READERS.values()].flatMap(({ schema }) => schema ?? []);

export const STRIPE_EVENT_TYPES: readonly string[] = [...READERS.keys(), ACCESS_ENDED];

/** Null: an event that changes nothing here, of a type that is not used or without money and evidence. */
export const readStripeEvent = (event: StripeEvent): StripeFact | null | Unreadable => {
  const occurredAt = time.safeParse(event.created, { error });
  if (!occurredAt.success) return new Unreadable(occurredAt.error, ['created']);
  return READERS.get(event.type)?.read(event.data.object, occurredAt.data) ?? null;
};

/** The envelope of a signed message. */
export const readEnvelope = (payload: unknown): StripeEvent | Unreadable => {
  const parsed = stripeEventSchema.safeParse(payload, { error });
  return parsed.success ? parsed.data : new Unreadable(parsed.error);
};

const text = z.string().min(1).max(255).optional().catch(undefined);
const names = z.object({ id: text, type: text }).catch({});

/** How people find an event at Stripe, as far as it says so in the expected form. */
export const nameOf = (payload: unknown): { id?: string | undefined; type?: string | undefined } => names.parse(payload);
