import { z } from 'zod';
import type { StripeInvoicePayment } from './stripe-fact.ts';
import { reference } from './stripe-fields.ts';

export const invoicePayment = z.object({
  invoice: reference,
  payment: z.object({ payment_intent: reference.nullish(), charge: reference.nullish() }),
});

/** Null for a payment outside Stripe, which can be neither refunded nor disputed there. */
export const readInvoicePayment = ({ invoice, payment }: z.infer<typeof invoicePayment>): StripeInvoicePayment | null => {
  const paymentId = payment.payment_intent ?? payment.charge ?? null;
  return paymentId === null ? null : { kind: 'invoice_payment', paymentId, invoiceId: invoice };
};
