import { SECOND_MS } from '../../../../platform/clock.ts';
import { type Answer, failedAnswer, type NeverReceived, type Redacted, unknownAnswer } from '../answer.ts';
import type { SentAttempt, TransferOrder } from '../rail.ts';
import { batchReading, faultOf, itemAnswer, type PayPalOrder } from './paypal-answers.ts';
import type { PayPalCalls } from './paypal-calls.ts';
import { toPayPalValue } from './paypal-money.ts';
import { createReading, originalAnswer, unsentAnswer } from './paypal-refusals.ts';
import { errorOf } from './paypal-wire.ts';

export interface Deadlines {
  createMs: number;
  readMs: number;
}

/** A look-up and the send after it, with a token and the look at an original, end before their activity does. */
export const DEADLINES: Deadlines = { createMs: 8 * SECOND_MS, readMs: 3 * SECOND_MS };

/** PayPal writes them into its emails. Never a text of a person: its sandbox obeys some notes. */
const SUBJECT = 'You have a payout';
const NOTE = 'Affiliate payout';

const BATCHES = '/v1/payments/payouts';
const itemPath = (id: string): string => `/v1/payments/payouts-item/${encodeURIComponent(id)}`;

export interface PayPalClient {
  submit(order: TransferOrder): Promise<Answer>;
  lookUp(attempt: SentAttempt): Promise<Answer | NeverReceived>;
  cancel(attempt: SentAttempt): Promise<Answer>;
}

/** One item per batch, since one that PayPal does not like makes it refuse the whole batch. */
export const createPayPalClient = ({ call }: PayPalCalls, { createMs, readMs }: Deadlines): PayPalClient => {
  const readItem = async (id: string, order: PayPalOrder, context: Omit<ItemRead, 'request'>): Promise<Answer> => {
    const result = await call({ method: 'GET', path: itemPath(id), deadlineMs: readMs });
    return itemAnswer(result, order, { ...context, request: { item: id } });
  };
  const readBatch = async (id: string, order: PayPalOrder): Promise<Answer> => {
    const path = `${BATCHES}/${encodeURIComponent(id)}?page_size=1&total_required=true`;
    const reading = batchReading(await call({ method: 'GET', path, deadlineMs: readMs }), order, { batch: id });
    if ('answer' in reading) return reading.answer;
    const answer = await readItem(reading.item, order, reading.denied ? { denied: reading.denied } : {});
    // What the batch said is known, also when its item could not be read.
    return { ...answer, references: { batch: id, item: reading.item, ...answer.references } };
  };
  const lookUp = async (attempt: SentAttempt): Promise<Answer | NeverReceived> => {
    const { item, batch = attempt.railReference } = attempt.references;
    if (item !== undefined) return readItem(item, attempt, {});
    return batch === null ? unasked(attempt) : readBatch(batch, attempt);
  };

  return {
    lookUp,
    async submit(order) {
      const request = redactOrder(order);
      const body = bodyOf(order);
      if (typeof body === 'string') return failedAnswer(faultOf(body), { request, response: { sent: false } });
      const result = await call({ method: 'POST', path: BATCHES, body: { json: body }, deadlineMs: createMs });
      if (result.isUnsent) return unsentAnswer(result, request);
      const reading = createReading(result, order, request);
      if (!('duplicateOf' in reading)) return reading;
      return originalAnswer(await readBatch(reading.duplicateOf, order), { request, batch: reading.duplicateOf });
    },
    async cancel(attempt) {
      const known = attempt.references.item;
      const found = known === undefined ? await lookUp(attempt) : null;
      if (found?.outcome === 'never_received') return unknownAnswer('item_missing', found);
      const id = known ?? found?.references.item;
      if (id === undefined) return found ?? unknownAnswer('item_missing', { request: {}, response: {} });
      const request = { cancel: id };
      const result = await call({ method: 'POST', path: `${itemPath(id)}/cancel`, deadlineMs: readMs });
      if (result.status === 200) return itemAnswer(result, attempt, { request, isCancelled: true });
      // Whatever stood against it: the item says what it is now.
      return readItem(id, attempt, { isCancelled: errorOf(result)?.name === 'ITEM_ALREADY_CANCELLED' });
    },
  };
};

type ItemRead = Parameters<typeof itemAnswer>[2];

/** PayPal finds nothing by our key: only the same order, sent again, tells whether it was received. */
const unasked = ({ idempotencyKey }: SentAttempt): NeverReceived => ({
  outcome: 'never_received',
  isAsked: false,
  request: { idempotencyKey },
  response: {},
});

/** A code when it cannot be ordered at all. */
const bodyOf = ({ idempotencyKey, reference, amountMinor, currency, details }: TransferOrder) => {
  const value = toPayPalValue({ amountMinor, currency });
  const receiver = details.method === 'paypal' ? details.paypalEmail : null;
  if (value === null) return 'VALIDATION_ERROR';
  if (receiver === null) return 'INVALID_EMAIL';
  return {
    sender_batch_header: { sender_batch_id: idempotencyKey, email_subject: SUBJECT },
    items: [
      {
        recipient_type: 'EMAIL',
        receiver,
        amount: { currency: currency.toUpperCase(), value },
        sender_item_id: reference,
        note: NOTE,
      },
    ],
  };
};

const redactOrder = ({ idempotencyKey, reference, amountMinor, currency }: TransferOrder): Redacted => ({
  ...{ idempotencyKey, reference, amountMinor, currency, recipientType: 'EMAIL' },
});
