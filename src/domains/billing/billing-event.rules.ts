import { z } from 'zod';
import { BILLING_OUTCOMES } from '../../contracts/billing.ts';
import { optionalMember } from '../../platform/http/lenient.ts';

const stripeId = z.string().min(1).max(255);
/** An id, or the object itself where the event was expanded. */
const reference = z.union([
  stripeId,
  z.looseObject({ id: stripeId.describe("Stripe's id of the object") }).transform(({ id }) => id),
]);

const LAST_SECOND = 253_402_300_799;

/** An event about a subscription or one of its invoices. */
export const billingEventSchema = z
  .looseObject({
    id: stripeId.describe('Id of the event'),
    type: z
      .string()
      .min(1)
      .max(255)
      .describe('Type of the event; others than those of subscriptions and their invoices are ignored'),
    created: z.int().min(0).max(LAST_SECOND).describe('When the event occurred, in Unix seconds'),
    data: z
      .looseObject({
        object: z
          .looseObject({
            id: optionalMember(stripeId).describe("Stripe's id of the object"),
            customer: reference.nullish().describe('Customer at Stripe'),
            parent: z
              .looseObject({
                subscription_details: z
                  .looseObject({ subscription: reference.describe('Subscription at Stripe; null if there is none') })
                  .nullish()
                  .describe('The subscription that the invoice belongs to'),
              })
              .nullish()
              .describe('What the invoice is for'),
          })
          .describe('The subscription or the invoice, as Stripe describes it; only the fields named here are read'),
      })
      .describe('What the event is about'),
  })
  .meta({ id: 'BillingEvent' });

export const billingResultSchema = z
  .object({
    outcome: z
      .enum(BILLING_OUTCOMES)
      .describe(
        '`applied`: the subscription was read from Stripe and applied. `ignored`: of a type or customer that is not used',
      ),
  })
  .meta({ id: 'BillingResult' });

export type BillingResult = z.infer<typeof billingResultSchema>;

/** What an event says: which subscription to read again. */
export interface BillingHint {
  customerId: string;
  subscriptionId: string;
  /** Null unless a payment failed. */
  failedAt: Date | null;
}

const OF_SUBSCRIPTION: readonly string[] = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
];
const PAYMENT_FAILED = 'invoice.payment_failed';
const OF_INVOICE: readonly string[] = ['invoice.paid', PAYMENT_FAILED];

/** Null for an event that is not used. */
export const readBillingEvent = (payload: unknown): BillingHint | null => {
  const event = billingEventSchema.safeParse(payload).data;
  if (!event) return null;
  const { id, customer, parent } = event.data.object;
  const ofInvoice = OF_INVOICE.includes(event.type) ? parent?.subscription_details?.subscription : undefined;
  const subscriptionId = OF_SUBSCRIPTION.includes(event.type) ? id : ofInvoice;
  if (subscriptionId === undefined || !customer) return null;
  const failedAt = event.type === PAYMENT_FAILED ? new Date(event.created * 1_000) : null;
  return { customerId: customer, subscriptionId, failedAt };
};
