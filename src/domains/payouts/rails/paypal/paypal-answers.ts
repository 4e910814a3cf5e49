import { faultClassOf } from '../../../../contracts/rails.ts';
import {
  type Answer,
  type Exchange,
  type Fault,
  type ProviderWord,
  type RailReviewReason,
  type Redacted,
  type References,
  reviewAnswer,
  type TransferRecord,
  toSafeCode,
  unknownAnswer,
} from '../answer.ts';
import type { SentAttempt } from '../rail.ts';
import type { HttpResult } from '../rail-http.ts';
import { batchSchema, errorOf, itemSchema, type PayPalItem } from './paypal-wire.ts';

/** What the provider's record has to agree with. */
export type PayPalOrder = Pick<SentAttempt, 'idempotencyKey' | 'reference' | 'amountMinor' | 'currency' | 'details'>;

export const faultOf = (name: string): Fault => {
  const code = toSafeCode(name);
  return { class: faultClassOf('paypal', code) ?? 'unclear', code };
};

/** What is shown of a response without a payment. */
export const errorShown = (http: HttpResult): Redacted => {
  const error = errorOf(http);
  return {
    http: http.status,
    ...(error && { error: toSafeCode(error.name) }),
    ...(error?.debug_id && { debugId: toSafeCode(error.debug_id) }),
  };
};

/** A read that told nothing about the payment. That the account was refused stops the next payments. */
export const unreadAnswer = (http: HttpResult, request: Redacted): Answer => {
  const answer = unknownAnswer(http.problem ?? `http_${http.status}`, { request, response: errorShown(http) });
  const isRefused = http.status === 401 || http.status === 403;
  const error = isRefused ? errorOf(http) : null;
  return error ? { ...answer, fault: { class: 'account', code: toSafeCode(error.name) } } : answer;
};

interface Meaning {
  outcome: Exclude<Answer['outcome'], 'unknown'>;
  /** For an attempt that is not recorded as paid, this is a failure. */
  wasNeverPaid?: true;
  /** What the state itself says went wrong. */
  code?: string;
  /** The cost of the payment is final. */
  hasFee?: true;
}

/** The states of an item. A state with another word needs a person. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  SUCCESS: { outcome: 'paid', hasFee: true },
  PENDING: { outcome: 'accepted' },
  ONHOLD: { outcome: 'accepted' },
  // It has `errors` although nothing failed: the payee has no account yet, or has not confirmed their address.
  UNCLAIMED: { outcome: 'accepted' },
  FAILED: { outcome: 'failed' },
  RETURNED: { outcome: 'returned', wasNeverPaid: true, code: 'UNCLAIMED' },
  REFUNDED: { outcome: 'returned', code: 'REFUNDED', hasFee: true },
  REVERSED: { outcome: 'returned', code: 'REVERSED', hasFee: true },
};

/** The payee has to decide about the currency: PayPal still waits. */
const WAITS_FOR_PAYEE = 'PENDING_RECIPIENT_NON_HOLDING_CURRENCY_PAYMENT_PREFERENCE';

/** In a batch that was denied, items in these states were denied as well. */
const DENIED_ITEMS: ReadonlySet<string> = new Set(['DENIED', 'FAILED', 'PENDING', '']);

export interface ItemContext {
  request: Redacted;
  /** Fault of its batch, when that was denied. */
  denied?: Fault;
  /** We asked for the return. */
  isCancelled?: boolean;
}

/** What an item says about the order. */
export const itemAnswer = (http: HttpResult, order: PayPalOrder, context: ItemContext): Answer => {
  if (http.status !== 200 || http.problem !== null) return unreadAnswer(http, context.request);
  const read = itemSchema.safeParse(http.json);
  if (!read.success) return unknownAnswer('body_unreadable', { request: context.request, response: { http: http.status } });
  return answerOf(read.data, order, context);
};

const answerOf = (item: PayPalItem, order: PayPalOrder, context: ItemContext): Answer => {
  const state = stateOf(item, context);
  const meaning = meaningOf(state, context);
  const references: References = {
    batch: item.payout_batch_id,
    item: item.payout_item_id,
    ...(item.transaction_id && { transaction: item.transaction_id }),
  };
  const fault = meaning && faultIn(item, meaning, context);
  const exchange: Exchange = {
    request: context.request,
    response: {
      http: 200,
      ...references,
      state: toSafeCode(item.transaction_status ?? ''),
      error: item.errors ? toSafeCode(item.errors.name) : null,
    },
    word: wordOf(item, order, { state, fault: fault ?? null, hasFee: meaning?.hasFee === true }),
  };
  const person = personFor(item, order, state, meaning);
  if (person) return { ...reviewAnswer(person, exchange), references, state: toSafeCode(state) };
  return {
    ...exchange,
    outcome: meaning?.outcome ?? 'unknown',
    railReference: item.payout_batch_id,
    references,
    fault: fault ?? null,
    problem: null,
    needsReview: null,
    state: toSafeCode(state),
    ...(meaning?.wasNeverPaid && { wasNeverPaid: true }),
  };
};

/** Only an unclaimed payment can be cancelled, so it was never paid. */
const meaningOf = (state: string, { isCancelled }: ItemContext): Meaning | undefined => {
  if (isCancelled && state === 'RETURNED') return { outcome: 'failed', code: 'CANCELLED' };
  return Object.hasOwn(MEANINGS, state) ? MEANINGS[state] : undefined;
};

const stateOf = (item: PayPalItem, { denied }: ItemContext): string => {
  const said = item.transaction_status ?? '';
  if (denied && DENIED_ITEMS.has(said)) return 'FAILED';
  return said === 'FAILED' && item.errors?.name === WAITS_FOR_PAYEE ? 'PENDING' : said;
};

const faultIn = (item: PayPalItem, { outcome, code }: Meaning, { denied }: ItemContext): Fault | null => {
  if (outcome !== 'failed' && outcome !== 'returned') return null;
  if (code !== undefined) return faultOf(code);
  return item.errors ? faultOf(item.errors.name) : (denied ?? faultOf('FAILED'));
};

const personFor = (
  item: PayPalItem,
  order: PayPalOrder,
  state: string,
  meaning: Meaning | undefined,
): RailReviewReason | null => {
  if (!isOurs(item, order)) return 'record_mismatch';
  if (state === 'BLOCKED') return 'blocked';
  if (!meaning) return 'status_unknown';
  return meaning.outcome === 'paid' && !item.transaction_id ? 'record_mismatch' : null;
};

/** Every field that the record has must agree, and one of our two ids must be among them. */
const isOurs = (
  { sender_batch_id: key, payout_item: { amount, receiver, sender_item_id: reference } }: PayPalItem,
  order: PayPalOrder,
) =>
  (isGiven(key) || isGiven(reference)) &&
  (!isGiven(key) || key === order.idempotencyKey) &&
  (!isGiven(reference) || reference === order.reference) &&
  amount.amountMinor === order.amountMinor &&
  amount.currency === order.currency &&
  (order.details === null || isSameAddress(receiver, order.details.paypalEmail ?? ''));

const isGiven = (id: string | null | undefined): id is string => id !== null && id !== undefined;

/** PayPal does not tell addresses apart by case. */
const isSameAddress = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

const wordOf = (
  item: PayPalItem,
  order: PayPalOrder,
  { state, fault, hasFee }: { state: string; fault: Fault | null; hasFee: boolean },
): ProviderWord => ({
  status: toSafeCode(state),
  id: item.payout_batch_id,
  reason: fault?.code ?? (item.errors ? toSafeCode(item.errors.name) : null),
  record: recordOf(item, order.reference, hasFee),
});

/** Until the payment ends, the fee is an estimate. */
export const recordOf = (item: PayPalItem, ours: string, hasFee: boolean): TransferRecord => {
  const { amount, sender_item_id: reference } = item.payout_item;
  const fee = hasFee ? item.payout_item_fee : null;
  const conversion = item.currency_conversion?.to_amount;
  return {
    reference: reference ?? ours,
    ...amount,
    ...(fee && { fees: [fee] }),
    ...(conversion && { conversion }),
  };
};

/** The batch says it all, or its item has to be read. */
export type BatchReading = { answer: Answer } | { item: string; denied?: Fault };

/** Batches of PayPal's website are the only ones that are cancelled, so a cancelled one cannot be ours. */
export const batchReading = (http: HttpResult, order: PayPalOrder, request: Redacted): BatchReading => {
  if (http.status !== 200 || http.problem !== null) return { answer: unreadAnswer(http, request) };
  const read = batchSchema.safeParse(http.json);
  if (!read.success) return { answer: unknownAnswer('body_unreadable', { request, response: { http: http.status } }) };
  const { batch_header: header, items, total_items: total } = read.data;
  const { payout_batch_id: batch, batch_status: said, errors } = header;
  const [item, other] = items ?? [];
  const state = toSafeCode(said);
  const exchange = { request, response: { http: http.status, batch, batchState: state } };
  const references = { batch, ...(item && { item: item.payout_item_id }) };
  const key = header.sender_batch_header?.sender_batch_id;
  const isOne = other === undefined && (total ?? 1) <= 1;
  if (!isOne || (isGiven(key) && key !== order.idempotencyKey)) return { answer: reviewAnswer('record_mismatch', exchange) };
  if (said === 'PENDING' || said === 'PROCESSING') return { answer: acceptedAnswer(exchange, references, state) };
  if (said === 'SUCCESS') return item ? { item: item.payout_item_id } : { answer: unknownAnswer('item_missing', exchange) };
  if (said !== 'DENIED') return { answer: { ...reviewAnswer('status_unknown', exchange), references, state } };
  const denied = faultOf(errors?.name ?? 'BATCH_DENIED');
  if (item) return { item: item.payout_item_id, denied };
  return { answer: { ...acceptedAnswer(exchange, references, state), outcome: 'failed', fault: denied } };
};

/** The batch is known, and nothing is decided yet. */
export const acceptedAnswer = (exchange: Exchange, references: References, state: string): Answer => ({
  ...exchange,
  outcome: 'accepted',
  railReference: references.batch ?? null,
  references,
  fault: null,
  problem: null,
  needsReview: null,
  state,
});
