import { z } from 'zod';
import type { FaultClass } from '../../../../contracts/faults.ts';
import { faultClassOf } from '../../../../contracts/rails.ts';
import {
  type Answer,
  type Fault,
  failedAnswer,
  type NeverReceived,
  notTakenAnswer,
  type ProviderWord,
  type Redacted,
  reviewAnswer,
  type TransferRecord,
  toSafeCode,
  unknownAnswer,
} from '../answer.ts';
import type { SentAttempt, TransferOrder } from '../rail.ts';
import type { Heard, StripeError } from './stripe-library.ts';
import { fromStripeAmount } from './stripe-money.ts';

/** Under these names a transfer carries the payout and the attempt. */
export const PAYOUT_FIELD = 'payoutId';
export const ATTEMPT_FIELD = 'attempt';

/** What we read of a transfer: whatever else Stripe adds is dropped. */
export const stripeTransferSchema = z.object({
  id: z.string().min(1).max(255),
  object: z.literal('transfer'),
  amount: z.int().min(0),
  amount_reversed: z.int().min(0),
  balance_transaction: z
    .union([z.object({ id: z.string().max(255), fee: z.int(), currency: z.string().max(3) }), z.string().max(255)])
    .nullish(),
  created: z.int().min(0),
  currency: z.string().max(3),
  destination: z.union([z.string().max(255), z.object({ id: z.string().max(255) }).transform(({ id }) => id)]).nullable(),
  metadata: z.record(z.string().max(100), z.string().max(1_000)),
  reversed: z.boolean(),
  transfer_group: z.string().max(255).nullable(),
});

export type StripeTransfer = z.output<typeof stripeTransferSchema>;

/** The states of a transfer, which has no word of its own for them. */
export type TransferState = 'paid' | 'reversed' | 'partially_reversed';

/** A transfer is paid at once: the money is the payee's. Null for one that contradicts itself. */
export const transferStateOf = ({ amount, amount_reversed: back, reversed }: StripeTransfer): TransferState | null => {
  if (back === 0) return reversed ? null : 'paid';
  if (back === amount) return 'reversed';
  return back < amount && !reversed ? 'partially_reversed' : null;
};

export const transferRecordOf = ({
  amount,
  currency,
  metadata,
  balance_transaction: booking,
}: StripeTransfer): TransferRecord => ({
  reference: metadata[PAYOUT_FIELD] ?? '',
  amountMinor: fromStripeAmount(amount, currency),
  currency,
  ...(typeof booking === 'object' && booking
    ? { fees: [{ amountMinor: fromStripeAmount(booking.fee, booking.currency), currency: booking.currency }] }
    : {}),
});

/** The transfer, and its line in the balance. */
export const referencesOf = ({ id, balance_transaction: booking }: Pick<StripeTransfer, 'id' | 'balance_transaction'>) => {
  const line = typeof booking === 'object' && booking ? booking.id : booking;
  return { transaction: id, ...(line ? { booking: line } : {}) };
};

type Order = SentAttempt | TransferOrder;

const isOurs = (transfer: StripeTransfer, { idempotencyKey, reference, amountMinor, currency, details }: Order): boolean => {
  const record = transferRecordOf(transfer);
  return (
    transfer.transfer_group === idempotencyKey &&
    record.reference === reference &&
    record.amountMinor === amountMinor &&
    record.currency === currency &&
    (details === null || transfer.destination === details.connected?.account)
  );
};

interface Given {
  order: Order;
  request: Redacted;
}

/** What a transfer says about an order. It counts only when it agrees in everything. */
export const answerOfTransfer = (json: unknown, { order, request }: Given): Answer => {
  const read = stripeTransferSchema.safeParse(json);
  if (!read.success) return unknownAnswer('body_unreadable', { request, response: { http: 200 } });
  const transfer = read.data;
  const state = transferStateOf(transfer) ?? 'unreadable';
  const response = { http: 200, id: toSafeCode(transfer.id), state, amountReversed: transfer.amount_reversed };
  const word: ProviderWord = { status: WORDS[state] ?? state, id: transfer.id, reason: null, record: transferRecordOf(transfer) };
  const exchange = { request, response, word };
  if (!isOurs(transfer, order)) return reviewAnswer('record_mismatch', exchange);
  // A person decides about what was taken back in part.
  if (state !== 'paid' && state !== 'reversed') return reviewAnswer('status_unknown', exchange);
  const isBack = state === 'reversed';
  return {
    ...exchange,
    outcome: isBack ? 'returned' : 'paid',
    railReference: transfer.id,
    references: referencesOf(transfer),
    fault: isBack ? { class: 'unclear', code: 'reversed' } : null,
    problem: null,
    needsReview: null,
    state,
  };
};

const WORDS: Readonly<Record<string, string>> = { paid: 'paid', reversed: 'returned' };

/** Whoever may not call at all may not pay, and who has to wait was not heard, for whatever reason. */
const BY_STATUS: Readonly<Record<number, FaultClass>> = { 401: 'account', 403: 'account', 409: 'provider', 429: 'provider' };

/** What Stripe calls the reason; its status where it has no name for it. */
const faultOf = ({ code, status, param }: StripeError): Fault => {
  const name = code === null ? `http_${status}` : toSafeCode(code);
  const isOfPayee = name !== 'resource_missing' || param === 'destination';
  const known = isOfPayee ? faultClassOf('stripe_connect', name) : null;
  return { class: known ?? BY_STATUS[status] ?? 'unclear', code: name };
};

/** Statuses by which Stripe says that it did not make the transfer. 404 is none: then our address is wrong. */
const REFUSED = [400, 402, 403, 422];

/** Nothing is certain but what Stripe itself says. */
export const answerOfError = (error: StripeError, request: Redacted): Answer => {
  const { status, type, isReplayed } = error;
  const fault = faultOf(error);
  const exchange = { request, response: { http: status, error: fault.code, isReplayed } };
  if (type === 'idempotency_error' && status === 400) return reviewAnswer('key_reused', exchange);
  if (isNotTaken(error)) return notTakenAnswer(`http_${status}`, exchange, { ...error, fault });
  return REFUSED.includes(status) ? failedAnswer(fault, exchange) : unknownAnswer(`http_${status}`, exchange);
};

/** Stripe stopped before it made anything: it is busy, or the account may not pay. */
const isNotTaken = (error: StripeError): boolean => {
  if (error.status >= 500 || error.status === 404) return false;
  return ['account', 'provider'].includes(faultOf(error).class);
};

/**
 * Stripe keeps the answer to a key, refusals too: once the account has money again, the same key would still be refused for it. That this
 * answer is a kept one proves that nothing will ever be made under the key, so the order may go on under the next one.
 */
export const isKeptRefusal = <T>(heard: Heard<T>): boolean =>
  'error' in heard && heard.error.isReplayed && isNotTaken(heard.error) && faultOf(heard.error).class === 'account';

export const answerOfSend = (heard: Heard<unknown>, given: Given): Answer => {
  if ('problem' in heard) return unansweredBy(heard, given.request);
  return 'error' in heard ? answerOfError(heard.error, given.request) : answerOfTransfer(heard.value, given);
};

/** Certainly not sent when there was no connection to send it by. */
const unansweredBy = ({ problem, status }: { problem: string; status: number | null }, request: Redacted): Answer => {
  const exchange = { request, response: { http: status } };
  return problem === 'connection_refused' ? notTakenAnswer(problem, exchange) : unknownAnswer(problem, exchange);
};

const listSchema = z.object({ data: z.array(z.unknown()).max(100), has_more: z.boolean() });

/** The transfers of an attempt's group: none, or the one. An error says nothing about the order. */
export const answerOfLookUp = (heard: Heard<unknown>, given: Given): Answer | NeverReceived => {
  const { request } = given;
  if ('problem' in heard) return unknownAnswer(heard.problem, { request, response: { http: heard.status } });
  if ('error' in heard) {
    const { status } = heard.error;
    return unknownAnswer(`http_${status}`, { request, response: { http: status, error: faultOf(heard.error).code } });
  }
  const read = listSchema.safeParse(heard.value);
  if (!read.success) return unknownAnswer('body_unreadable', { request, response: { http: 200 } });
  const { data, has_more: hasMore } = read.data;
  const [first] = data;
  if (data.length > 1 || hasMore)
    return reviewAnswer('record_mismatch', { request, response: { http: 200, transfers: data.length } });
  if (first === undefined) return { outcome: 'never_received', request, response: { http: 200, transfers: 0 } };
  return answerOfTransfer(first, given);
};
