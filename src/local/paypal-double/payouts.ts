import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PAYPAL_FACTS } from '../../contracts/paypal-facts.ts';
import {
  BATCH_ITEM_TRIGGERS,
  BATCH_TRIGGERS,
  CANCEL_TRIGGERS,
  CREATE_TRIGGERS,
  ITEM_TRIGGERS,
  READ_ERROR_TRIGGERS,
  STATE_OF_REASON,
} from '../../contracts/paypal-triggers.ts';
import { type DoubleAccount, type DoubleBatch, WHOLE_UNITS } from './model.ts';
import type { PayPalDoubleSettings } from './settings.ts';
import type { DoubleSettlement } from './settlement.ts';
import type { DoubleStore } from './store.ts';
import { batchView, createdView, duplicateView, type ErrorView, errorView, itemView, newId } from './views.ts';

const DAY_MS = 86_400_000;
/** "If you specify a sender_batch_id that was used in the last 30 days, the API rejects the request" (OpenAPI file). */
const REMEMBERED_MS = 30 * DAY_MS;

const VALUE = /^\d{1,10}(\.\d{1,2})?$/;

const orderSchema = z.object({
  sender_batch_header: z.object({
    sender_batch_id: z.string().min(1).max(256),
    email_subject: z.string().max(255).default(''),
  }),
  items: z
    .array(
      z.object({
        recipient_type: z.literal('EMAIL'),
        receiver: z.email().max(127),
        amount: z
          .object({ currency: z.string(), value: z.string().regex(VALUE) })
          .refine(({ currency }) => Object.hasOwn(PAYPAL_FACTS.currencies, currency.toLowerCase()) && /^[A-Z]+$/.test(currency))
          // "This currency does not support decimals. If you pass a decimal amount, an error occurs."
          .refine(({ currency, value }) => !WHOLE_UNITS.has(currency) || !value.includes('.')),
        sender_item_id: z.string().max(63).optional(),
        note: z.string().max(4_000).default(''),
      }),
    )
    .min(1)
    // The product sends one; the double keeps no others.
    .max(1),
});

interface Parts {
  settings: PayPalDoubleSettings;
  store: DoubleStore;
  settlement: DoubleSettlement;
}

export interface DoublePayouts {
  create(account: DoubleAccount, request: FastifyRequest, reply: FastifyReply): unknown;
  readBatch(account: DoubleAccount, id: string, reply: FastifyReply): unknown;
  readItem(account: DoubleAccount, id: string, reply: FastifyReply): unknown;
  cancel(account: DoubleAccount, id: string, reply: FastifyReply): unknown;
}

const PAYOUTS_SCOPE = 'https://uri.paypal.com/payments/payouts';

const fail = (reply: FastifyReply, { status, body }: ErrorView): FastifyReply => reply.code(status).send(body);

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const createDoublePayouts = ({ settings, store, settlement }: Parts): DoublePayouts => {
  const createdAtMs = new Map<string, number[]>();
  /** 400 POST a minute (docs.paypal.ai, rate limits); the answer has no Retry-After. */
  const isLimited = ({ clientId }: DoubleAccount): boolean => {
    const since = Date.now() - 60_000;
    const recent = (createdAtMs.get(clientId) ?? []).filter((at) => at > since);
    createdAtMs.set(clientId, [...recent, Date.now()]);
    return recent.length >= settings.PAYPAL_DOUBLE_PER_MINUTE;
  };
  const execute = (account: DoubleAccount, order: z.output<typeof orderSchema>): DoubleBatch => {
    const [item] = order.items;
    if (!item) throw new Error('an order has an item');
    const at = new Date().toISOString();
    const batch: DoubleBatch = {
      id: newId(13),
      account: account.clientId,
      senderBatchId: order.sender_batch_header.sender_batch_id,
      emailSubject: order.sender_batch_header.email_subject,
      status: 'PENDING',
      createdAt: at,
      item: {
        ...{ id: newId(13), transactionId: newId(17), state: 'PENDING', reason: null, ...item.amount },
        ...{ receiver: item.receiver, senderItemId: item.sender_item_id ?? null, note: item.note, processedAt: at },
      },
    };
    store.saveBatch(batch);
    settlement.start(batch);
    return batch;
  };
  const findOwn = (account: DoubleAccount, batch: DoubleBatch | undefined): DoubleBatch | undefined =>
    batch?.account === account.clientId ? batch : undefined;

  return {
    // `PayPal-Request-Id` is ignored: a replay with the same one made a second batch (PayPal-Java-SDK#379).
    create(account, request, reply) {
      if (isLimited(account)) return fail(reply, errorView('RATE_LIMIT_REACHED'));
      const read = orderSchema.safeParse(request.body);
      if (!read.success) return fail(reply, errorView('VALIDATION_ERROR', read.error.issues.map(detailOf)));
      if (!account.scopes.includes(PAYOUTS_SCOPE)) return fail(reply, errorView('AUTHORIZATION_ERROR'));
      const trigger = own(CREATE_TRIGGERS, read.data.items[0]?.note ?? '');
      if (trigger) return fail(reply, errorView(trigger));
      const known = store.findByKey(account.clientId, read.data.sender_batch_header.sender_batch_id);
      const isKnown = known && Date.now() - Date.parse(known.createdAt) < REMEMBERED_MS;
      if (isKnown) return fail(reply, duplicateView(known));
      return reply.code(201).send(createdView(execute(account, read.data)));
    },
    readBatch(account, id, reply) {
      const error = own(READ_ERROR_TRIGGERS, id);
      if (error) return fail(reply, errorView(error));
      const found = sampleBatch(id) ?? findOwn(account, store.batches.get(id));
      return found ? batchView(found) : fail(reply, errorView('INVALID_RESOURCE_ID'));
    },
    readItem(account, id, reply) {
      const error = own(READ_ERROR_TRIGGERS, id);
      if (error) return fail(reply, errorView(error));
      const reason = own(ITEM_TRIGGERS, id);
      const found = reason ? sample(reason) : findOwn(account, store.findByItem(id));
      return found ? itemView(found) : fail(reply, errorView('INVALID_RESOURCE_ID'));
    },
    cancel(account, id, reply) {
      const trigger = own(CANCEL_TRIGGERS, id);
      if (trigger === null) return itemView(sample('RECEIVER_UNREGISTERED', { state: 'RETURNED' }));
      if (trigger) return fail(reply, errorView(trigger));
      const batch = findOwn(account, store.findByItem(id));
      if (!batch) return fail(reply, errorView('INVALID_RESOURCE_ID'));
      if (batch.status !== 'SUCCESS') return fail(reply, errorView('BATCH_NOT_COMPLETED'));
      if (batch.item.state === 'RETURNED') return fail(reply, errorView('ITEM_ALREADY_CANCELLED'));
      if (batch.item.state !== 'UNCLAIMED') return fail(reply, errorView('ITEM_INCORRECT_STATUS'));
      return itemView(settlement.move(batch, 'RETURNED', batch.item.reason));
    },
  };
};

const detailOf = ({ path, message: issue }: z.core.$ZodIssue) => ({
  field: path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1),
  location: 'body',
  issue,
});

/** Answers of a trigger are about a batch that nobody made. */
const sample = (
  reason: string | null,
  item: Partial<DoubleBatch['item']> = {},
  status: DoubleBatch['status'] = 'SUCCESS',
): DoubleBatch => {
  const at = '2026-01-15T09:30:04Z';
  const state = reason === null ? 'SUCCESS' : (STATE_OF_REASON[reason] ?? 'FAILED');
  return {
    ...{
      id: 'DQCP2UAJCBMNY',
      account: '',
      senderBatchId: 'Payouts_2026_1',
      emailSubject: 'user test case',
      status,
      createdAt: at,
    },
    item: {
      ...{ id: 'DC5AFWEYLX9Q6', transactionId: '4LF85374VM9418456', state, reason, currency: 'USD', value: '190.00' },
      ...{ receiver: 'payouts-simulator-receiver@paypal.com', senderItemId: '201403140001', note: 'a test', processedAt: at },
      ...item,
    },
  };
};

const sampleBatch = (id: string): DoubleBatch | undefined => {
  const reason = own(BATCH_ITEM_TRIGGERS, id);
  const status = own(BATCH_TRIGGERS, id);
  if (reason) return sample(reason);
  if (!status) return undefined;
  return status === 'DENIED' ? sample('INSUFFICIENT_FUNDS', {}, status) : sample(null, {}, status);
};
