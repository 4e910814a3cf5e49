import { isDeepStrictEqual } from 'node:util';
import { type AppError, conflict } from '../../../platform/errors.ts';
import type { Sale } from '../sale.entity.ts';
import type { SaleRefund } from '../sale-refund.entity.ts';
import type { NewRefund, NewSale } from './sale-input.steps.ts';

/** What led to an affiliate is stored as a decision: which of these differ is not known. */
const EVIDENCE_FIELDS = ['couponCode', 'clickToken', 'referralCode'];

/** As a sale event names them. */
const saleFields = (sale: Sale | NewSale) => ({
  amount: sale.amount,
  currency: sale.currency,
  occurredAt: sale.occurredAt,
  'customer.id': sale.customerId,
  'customer.email': sale.customerEmailDigest,
  subscriptionId: sale.subscriptionId ?? null,
  metadata: sale.metadata ?? null,
});

const refundFields = ({ externalSaleId, amount, occurredAt }: SaleRefund | NewRefund) => ({
  saleId: externalSaleId,
  amount,
  occurredAt,
});

const differing = (stored: Record<string, unknown>, received: Record<string, unknown>): string[] =>
  Object.keys(stored).filter((name) => !isDeepStrictEqual(stored[name], received[name]));

/** Only the stored time is told: senders often make a new one for a retry. */
const mismatch = (what: 'sale' | 'refund', fields: readonly string[], id: string, storedAt: Date): AppError =>
  conflict('PAYLOAD_MISMATCH', `A ${what} with this ${what}Id already exists with different data: ${fields.join(', ')}`, {
    [`${what}Id`]: id,
    fields,
    occurredAt: storedAt.toISOString(),
  });

/** 409 for a sale that is stored with other data. */
export const saleMismatch = (stored: Sale, received: NewSale): AppError => {
  const fields = differing(saleFields(stored), saleFields(received));
  return mismatch('sale', fields.length > 0 ? fields : EVIDENCE_FIELDS, received.externalId, stored.occurredAt);
};

/** As `saleMismatch`, for a refund. */
export const refundMismatch = (stored: SaleRefund, received: NewRefund): AppError =>
  mismatch('refund', differing(refundFields(stored), refundFields(received)), received.externalId, stored.occurredAt);

/** As `saleMismatch`, for a dispute: the field that differs. */
export const disputeMismatch = (disputeId: string, field: 'saleId' | 'won'): AppError =>
  conflict('PAYLOAD_MISMATCH', `A dispute with this disputeId already exists with different data: ${field}`, {
    disputeId,
    fields: [field],
  });
