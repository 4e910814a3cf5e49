import { z } from 'zod';
import type { StripeDispute } from './stripe-fact.ts';
import { amount, currencyCode, reference, stripeId, toMinorUnits } from './stripe-fields.ts';

export const dispute = z.object({
  id: stripeId,
  charge: reference,
  payment_intent: reference.nullish(),
  amount,
  currency: currencyCode,
  status: z.string(),
});

type Dispute = z.infer<typeof dispute>;

const toFact = (given: Dispute, status: StripeDispute['status'], occurredAt: Date): StripeDispute => ({
  kind: 'dispute',
  paymentId: given.payment_intent ?? given.charge,
  disputeId: given.id,
  status,
  disputedGross: toMinorUnits(given.amount, given.currency),
  currency: given.currency,
  occurredAt,
});

/** Inquiries of a bank are disputes too: the money may be withdrawn. */
export const readOpenedDispute = (given: Dispute, occurredAt: Date): StripeDispute => toFact(given, 'opened', occurredAt);

/** `won`, `warning_closed`, `prevented` and whatever Stripe adds: only `lost` takes money. */
export const readClosedDispute = (given: Dispute, occurredAt: Date): StripeDispute =>
  toFact(given, given.status === 'lost' ? 'lost' : 'closed', occurredAt);
