import type { SentAttempt, TransferOrder } from '../../../../src/domains/payouts/rails/rail.ts';
import type { HttpResult } from '../../../../src/domains/payouts/rails/rail-http.ts';

export const BATCH_ID = 'FYXMPQTX4JC9N';
export const ITEM_ID = '8AELMXH8UB2P8';
export const TRANSACTION_ID = '0C413693MN970190K';

export const order: TransferOrder = {
  idempotencyKey: 'payout-0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51-1',
  reference: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51',
  amountMinor: 12_500,
  currency: 'eur',
  details: { method: 'paypal', paypalEmail: 'ada@example.com', bankIban: null, bankBic: null, bankAccountHolder: null },
};

export const attempt: SentAttempt = { ...order, railReference: null, references: {} };

/** As PayPal answers; a text is a body that is no JSON. */
export const http = (status: number, json: unknown, retryAfterMs = 0): HttpResult =>
  typeof json === 'string'
    ? { headers: {}, retryAfterMs, status, json: null, problem: status < 300 ? 'body_unreadable' : `http_${status}` }
    : { headers: {}, retryAfterMs, status, json, problem: null };

type Change = Readonly<Record<string, unknown>>;

/** An item as PayPal documents it, with other members. */
export const item = ({ payout_item, ...change }: Change & { payout_item?: Change } = {}) => ({
  payout_item_id: ITEM_ID,
  transaction_id: TRANSACTION_ID,
  activity_id: '0E158638XS0329101',
  transaction_status: 'SUCCESS',
  payout_batch_id: BATCH_ID,
  sender_batch_id: order.idempotencyKey,
  payout_item: {
    recipient_type: 'EMAIL',
    amount: { currency: 'EUR', value: '125.00' },
    receiver: 'ada@example.com',
    sender_item_id: order.reference,
    recipient_wallet: 'PAYPAL',
    ...payout_item,
  },
  time_processed: '2026-01-15T09:30:04Z',
  ...change,
});

export const batch = ({ batch_header, ...change }: Change & { batch_header?: Change } = {}) => ({
  batch_header: {
    payout_batch_id: BATCH_ID,
    batch_status: 'SUCCESS',
    time_created: '2026-01-15T09:30:00Z',
    sender_batch_header: { sender_batch_id: order.idempotencyKey, email_subject: 'You have a payout' },
    ...batch_header,
  },
  items: [item()],
  total_items: 1,
  total_pages: 1,
  ...change,
});
