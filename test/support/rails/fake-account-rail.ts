import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { faultTable } from '../../../src/contracts/faults.ts';
import type { RailStatus } from '../../../src/contracts/payouts.ts';
import { refusalByFacts } from '../../../src/contracts/rail-refusals.ts';
import type { RailFacts } from '../../../src/contracts/rails.ts';
import {
  type Answer,
  failedAnswer,
  notTakenAnswer,
  reviewAnswer,
  toSafeCode,
  unknownAnswer,
} from '../../../src/domains/payouts/rails/answer.ts';
import type {
  ListedMovement,
  OnlineRail,
  RailDefinition,
  RailNotification,
  SentAttempt,
  TransferOrder,
  UnreadNotice,
} from '../../../src/domains/payouts/rails/rail.ts';
import { createRailHttp, type HttpResult, type RailHttp } from '../../../src/domains/payouts/rails/rail-http.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { fakeName } from './register.ts';

export const FAKE_ACCOUNT = fakeName('fake_account');

export const FAKE_FAULTS = { PAYEE_CLOSED: 'payee', NO_FUNDS: 'account', BAD_AMOUNT: 'order', SANCTIONED: 'compliance' } as const;
export const FAKE_STATES = {
  PENDING: 'accepted',
  UNCLAIMED: 'accepted',
  DONE: 'paid',
  REFUSED: 'failed',
  BACK: 'returned',
} as const;

export const FAKE_FACTS: RailFacts = {
  currencies: { eur: { scale: 2, max: 20_000 }, usd: { scale: 2, max: 20_000 }, huf: { scale: 0, max: null } },
  otherCurrencies: null,
  countries: { except: [] },
  repeatWindowMs: 86_400_000,
  isFoundByKey: true,
  resendHelps: true,
  acceptedForMs: { default: 86_400_000, UNCLAIMED: 35 * 86_400_000 },
  pollsMs: { PENDING: [60_000, 300_000], UNCLAIMED: [86_400_000] },
  perMinute: null,
  returnsForMs: 86_400_000,
  cancelable: ['UNCLAIMED'],
  waitsForPayee: { UNCLAIMED: 30 * 86_400_000 },
  listIsLateByMs: 3_600_000,
  listWindowMs: 86_400_000,
  faults: faultTable({ payee: 'payee_closed', account: 'no_funds http_401', order: 'bad_amount', compliance: 'sanctioned' }),
  can: { cancel: true, list: true, balances: false, fees: true, notices: true },
};

const accountSchema = z.object({ url: z.string(), clientId: z.string(), clientSecret: z.string(), webhookSecret: z.string() });
export type FakeAccount = z.output<typeof accountSchema>;

const paymentSchema = z.object({
  id: z.string(),
  key: z.string(),
  reference: z.string(),
  amount: z.number(),
  currency: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  fee: z.object({ amount: z.number(), currency: z.string() }).nullable(),
});
type Payment = z.output<typeof paymentSchema>;

const recordOf = ({ reference, amount, currency, fee }: Payment) => ({
  ...{ reference, amountMinor: amount, currency },
  ...(fee && { fees: [{ amountMinor: fee.amount, currency: fee.currency }] }),
});

const movementOf = ({ id, key, reference, amount, currency, state, fee }: Payment): ListedMovement => {
  const outcome = outcomeOf(state);
  return {
    ...{ id, kind: 'payment', idempotencyKey: key, reference, references: { item: id } },
    ...{ status: outcome === 'accepted' ? 'pending' : (outcome ?? 'unknown'), state, amountMinor: amount, currency },
    ...{ fee: fee && { amountMinor: fee.amount, currency: fee.currency }, receiver: null, occurredAt: new Date(0) },
  };
};

const outcomeOf = (state: string): RailStatus | undefined =>
  Object.hasOwn(FAKE_STATES, state) ? FAKE_STATES[state as keyof typeof FAKE_STATES] : undefined;

const faultOf = (code: string) => ({ class: FAKE_FACTS.faults.get(code.toLowerCase()) ?? 'unclear', code }) as const;

const answerOf = (http: HttpResult, order: SentAttempt | TransferOrder): Answer => {
  const exchange = { request: { key: order.idempotencyKey }, response: { http: http.status } };
  if (http.problem !== null) return unknownAnswer(http.problem, exchange);
  const error = z.object({ error: z.string() }).safeParse(http.json);
  const code = error.success ? toSafeCode(error.data.error) : null;
  if (code === 'KEY_REUSED') return reviewAnswer('key_reused', exchange);
  if (code !== null && http.status === 429) return notTakenAnswer('http_429', exchange, http);
  if (code !== null && http.status === 422) {
    const fault = faultOf(code);
    return fault.class === 'account' ? notTakenAnswer('http_422', exchange, { fault }) : failedAnswer(fault, exchange);
  }
  if (http.status !== 200) return unknownAnswer(`http_${http.status}`, exchange);
  const read = paymentSchema.safeParse(http.json);
  if (!read.success) return unknownAnswer('body_unreadable', exchange);
  const { id, key, reference, amount, currency, state, reason } = read.data;
  const word = { status: toSafeCode(state), id, reason, record: recordOf(read.data) };
  const isOurs =
    key === order.idempotencyKey && reference === order.reference && amount === order.amountMinor && currency === order.currency;
  const outcome = outcomeOf(state);
  if (!isOurs) return reviewAnswer('record_mismatch', { ...exchange, word });
  if (!outcome) return reviewAnswer('status_unknown', { ...exchange, word });
  const references = { item: id, batch: `b-${id}` };
  const fault = reason === null ? null : faultOf(reason);
  return { ...exchange, outcome, railReference: id, references, fault, problem: null, needsReview: null, state, word };
};

/** A token of this account alone, asked for again once when it is refused. */
const authorized = (http: RailHttp, { clientId, clientSecret }: FakeAccount) => {
  let token: string | null = null;
  const renew = async (): Promise<HttpResult | null> => {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const body = { form: { grant_type: 'client_credentials' } };
    const got = await http.call({
      method: 'POST',
      path: '/token',
      headers: { authorization: `Basic ${basic}` },
      body,
      deadlineMs: 1_000,
      isSecret: true,
    });
    const read = z.object({ token: z.string() }).safeParse(got.json);
    token = read.success ? read.data.token : null;
    return read.success ? null : got;
  };
  return async (call: Omit<Parameters<RailHttp['call']>[0], 'deadlineMs'>): Promise<HttpResult & { isUnsent?: true }> => {
    for (let isAgain = false; ; isAgain = true) {
      const refused = token === null ? await renew() : null;
      if (refused) return { ...refused, isUnsent: true };
      const headers = { ...call.headers, authorization: `Bearer ${token}` };
      const result = await http.call({ ...call, headers, deadlineMs: 1_000 });
      if (result.status !== 401 || isAgain) return result;
      token = null;
    }
  };
};

const signatureOf = (secret: string, body: Uint8Array): Buffer => createHmac('sha256', secret).update(body).digest();
export const signNotice = (secret: string, body: Uint8Array): string => signatureOf(secret, body).toString('hex');

const open = (account: FakeAccount, clock: Clock): OnlineRail => {
  const http = createRailHttp({ url: account.url, headers: {}, clock });
  const call = authorized(http, account);
  return {
    name: FAKE_ACCOUNT,
    kind: 'online',
    facts: FAKE_FACTS,
    async check() {
      const { status } = await call({ method: 'GET', path: '/permissions' });
      if (status === null) return null;
      return { findings: status === 200 ? [] : [{ name: 'credentials', isWarning: false }], balances: null };
    },
    async submit(order) {
      const { idempotencyKey: key, reference, amountMinor: amount, currency, details } = order;
      const payee = details.paypalEmail ?? details.bankIban;
      const json = { key, reference, amount, currency, payee, name: details.bankAccountHolder };
      const result = await call({ method: 'POST', path: '/payments', body: { json } });
      if (result.status === 401) {
        const exchange = { request: { key }, response: { http: 401 } };
        return notTakenAnswer('http_401', exchange, { fault: faultOf('http_401') });
      }
      return answerOf(result, order);
    },
    async lookUp(attempt) {
      const result = await call({ method: 'GET', path: `/payments/${encodeURIComponent(attempt.idempotencyKey)}` });
      const exchange = { request: { key: attempt.idempotencyKey }, response: { http: result.status } };
      const isUnknownThere = result.status === 404 && JSON.stringify(result.json) === '{"error":"NOT_FOUND"}';
      return isUnknownThere ? { outcome: 'never_received', ...exchange } : answerOf(result, attempt);
    },
    async cancel(attempt) {
      const path = `/payments/${encodeURIComponent(attempt.idempotencyKey)}/cancel`;
      return answerOf(await call({ method: 'POST', path, body: { json: {} } }), attempt);
    },
    async readNotice(headers, rawBody) {
      const given = Buffer.from(String(headers['x-signature'] ?? ''), 'hex');
      const right = signatureOf(account.webhookSecret, rawBody);
      const isSigned = given.length === right.length && timingSafeEqual(given, right);
      if (!isSigned) return { unread: 'rejected', why: 'x-signature is not valid' };
      if (headers['x-key'] === 'unreachable') return { unread: 'try_later', why: 'The key cannot be fetched' };
      return noticesIn(rawBody);
    },
    async list(_since, _until, cursor = '0') {
      const { json } = await call({ method: 'GET', path: `/payments?after=${cursor}` });
      const { payments, next } = z.object({ payments: z.array(paymentSchema), next: z.string().nullable() }).parse(json);
      const movements = payments.map((payment) => movementOf(payment));
      return { movements, next };
    },
    close: () => http.close(),
  };
};

const text = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x20-\x7e]+$/);
const noticeSchema = z.object({
  id: text,
  at: z.iso.datetime(),
  payment: paymentSchema.extend({ id: text, key: text, reference: text, state: text, reason: text.nullable() }).optional(),
  /** A notice about a batch, which says only that something happened. */
  batch: z.object({ key: text }).optional(),
});

/** A failure without its reason says too little. What has the key of a shop is of somebody else. */
const noticesIn = (rawBody: Uint8Array): RailNotification[] | UnreadNotice => {
  const read = noticeSchema.safeParse(jsonOf(rawBody));
  if (!read.success) return { unread: 'unreadable', why: 'The notice is malformed' };
  const { id, at, payment, batch } = read.data;
  const told = { externalId: id, occurredAt: new Date(at) };
  if (batch) return [{ ...told, idempotencyKey: batch.key, status: null, railReference: null, failureCode: null, record: null }];
  const status = payment && outcomeOf(payment.state);
  if (!status) return [];
  const { key: idempotencyKey, id: railReference, reason: failureCode, state } = payment;
  if (idempotencyKey.startsWith('shop-')) return { unread: 'foreign', why: 'Not ours' };
  const isHint = (status === 'failed' || status === 'returned') && failureCode === null;
  const references = { item: railReference };
  const said = { idempotencyKey, status, railReference, references, failureCode, state, record: recordOf(payment) };
  return [{ ...told, ...said, ...(isHint ? { isHint } : {}) }];
};

const jsonOf = (rawBody: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(rawBody).toString());
  } catch {
    return null;
  }
};

/** A rail whose merchants have accounts of their own, with tokens, notices, a list and fees in another currency. */
export const fakeAccountRail = {
  name: FAKE_ACCOUNT,
  accountSchema,
  secrets: ['clientSecret', 'webhookSecret'],
  identityOf: ({ url, clientId }) => `${url} ${clientId}`,
  canPay: ({ amountMinor, currency }) => refusalByFacts(FAKE_FACTS, { amountMinor, currency, country: null }),
  open: (account, { clock }) => open(account, clock),
} satisfies RailDefinition<FakeAccount>;

export const FAKE_ENTRY = {
  label: 'Fake',
  begins: 'call',
  confirms: ['notice', 'lookUp'],
  pays: ['paypal', 'bank_transfer'],
  accountOf: 'merchant',
  facts: FAKE_FACTS,
  testOnly: true,
} as const;
