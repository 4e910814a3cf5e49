import { z } from 'zod';
import type { StripeRefund } from './stripe-fact.ts';
import { amount, currencyCode, reference, stripeId, toMinorUnits } from './stripe-fields.ts';

export const charge = z.object({
  id: stripeId,
  payment_intent: reference.nullish(),
  amount_refunded: amount,
  currency: currencyCode,
});

/** `amount_refunded` is the sum of all refunds so far. */
export const readRefundedCharge = (given: z.infer<typeof charge>, occurredAt: Date): StripeRefund => ({
  kind: 'refund',
  paymentId: given.payment_intent ?? given.id,
  refundedGross: toMinorUnits(given.amount_refunded, given.currency),
  occurredAt,
});
