import { randomBytes } from 'node:crypto';
import { ERROR_STATUS } from '../../contracts/paypal-triggers.ts';
import { type DoubleBatch, FEE_USD } from './model.ts';

/* What PayPal answers: its OpenAPI file `payments_payouts_batch_v1.json` 1.9, and responses in public logs of 2026 where it differs. */

const HOST = 'https://api.sandbox.paypal.com';

export const newId = (length: number): string => {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return [...randomBytes(length)].map((byte) => letters[byte % letters.length]).join('');
};

export interface ErrorView {
  status: number;
  body: object;
}

export const errorView = (name: string, details: readonly object[] = []): ErrorView => ({
  status: ERROR_STATUS[name] ?? 400,
  body: {
    name,
    message: MESSAGES[name] ?? 'An error occurred.',
    debug_id: randomBytes(7).toString('hex').slice(0, 13),
    information_link: `https://developer.paypal.com/docs/api/payments.payouts-batch/v1/#errors`,
    ...(details.length > 0 && { details }),
    links: [],
  },
});

const MESSAGES: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'Invalid request - see details',
  USER_BUSINESS_ERROR: 'User business error.',
  INSUFFICIENT_FUNDS: 'Sender does not have sufficient funds. Please add funds and retry.',
  AUTHORIZATION_ERROR: 'Authorization error occurred.',
  RATE_LIMIT_REACHED: 'Too many requests. Blocked due to rate limiting.',
  INVALID_RESOURCE_ID: 'Requested resource ID was not found.',
};

/** `link` stands in the details, in the singular, and has another host than the one that was asked (public logs of 2026-09 and 2026-10). */
export const duplicateView = (batch: DoubleBatch): ErrorView =>
  errorView('USER_BUSINESS_ERROR', [
    {
      field: 'SENDER_BATCH_ID',
      location: 'body',
      issue: 'Batch with given sender_batch_id already exists',
      link: [{ href: `${HOST}/v1/payments/payouts/${batch.id}`, rel: 'self', method: 'GET', encType: 'application/json' }],
    },
  ]);

const headerOf = (batch: DoubleBatch) => ({
  payout_batch_id: batch.id,
  batch_status: batch.status,
  time_created: batch.createdAt,
  sender_batch_header: { sender_batch_id: batch.senderBatchId, email_subject: batch.emailSubject },
});

export const createdView = (batch: DoubleBatch) => ({
  batch_header: { ...headerOf(batch), batch_status: 'PENDING' },
  links: [{ href: `${HOST}/v1/payments/payouts/${batch.id}`, rel: 'self', method: 'GET', encType: 'application/json' }],
});

/** Until the batch is processed, it lists no items. Fees are an estimate before that. */
export const batchView = (batch: DoubleBatch) => {
  const isListed = batch.status !== 'PENDING';
  const { currency, value, processedAt } = batch.item;
  return {
    batch_header: {
      ...headerOf(batch),
      ...(isListed && { time_completed: processedAt }),
      funding_source: 'BALANCE',
      amount: { currency, value },
      fees: { currency: 'USD', value: isListed ? FEE_USD : '0.00' },
    },
    items: isListed ? [itemView(batch, { isInBatch: true })] : [],
    total_items: isListed ? 1 : 0,
    total_pages: 1,
    links: [{ href: `${HOST}/v1/payments/payouts/${batch.id}?page_size=1&page=1`, rel: 'self', method: 'GET' }],
  };
};

/** One object of errors, and not a list. An unclaimed item has it as well (PayPal-Ruby-SDK#139). Events have none. */
export const itemView = (batch: DoubleBatch, { isInBatch = false, isEvent = false } = {}) => {
  const { id, transactionId, state, reason, currency, value, receiver, senderItemId, note, processedAt } = batch.item;
  return {
    payout_item_id: id,
    ...(state !== 'FAILED' && state !== 'DENIED' && { transaction_id: transactionId }),
    activity_id: `A${id}`,
    transaction_status: state,
    payout_item_fee: { currency: 'USD', value: FEE_USD },
    payout_batch_id: batch.id,
    ...(!isInBatch && { sender_batch_id: batch.senderBatchId }),
    payout_item: {
      recipient_type: 'EMAIL',
      amount: { currency, value },
      note,
      receiver,
      ...(senderItemId !== null && { sender_item_id: senderItemId }),
      recipient_wallet: 'PAYPAL',
    },
    time_processed: processedAt,
    ...(reason !== null && !isEvent && { errors: { ...errorView(reason).body } }),
    links: [
      { href: `${HOST}/v1/payments/payouts-item/${id}`, rel: 'self', method: 'GET' },
      { href: `${HOST}/v1/payments/payouts/${batch.id}`, rel: 'batch', method: 'GET' },
    ],
  };
};
