import { z } from 'zod';
import { RAILS } from '../../../contracts/rails.ts';
import { sandboxRefusalOf } from '../../../contracts/sandbox-limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import { failedAnswer, type Redacted } from './answer.ts';
import type { AccountCheck, Installation, OnlineRail, RailDefinition, SentAttempt, TransferOrder } from './rail.ts';
import { createRailHttp } from './rail-http.ts';
import { readTransferList } from './sandbox-list.ts';
import { readSandboxNotification } from './sandbox-notification.ts';
import { errorCodeOf, faultOf, readTransfer, type SandboxTransfer } from './sandbox-response.ts';

const accountSchema = z.object({
  url: z.url().max(2_048),
  apiKey: z.string().min(1).max(500),
  notificationSecret: z.string().startsWith('whsec_').max(500),
});
type SandboxAccount = z.output<typeof accountSchema>;

export interface SandboxRailOptions extends SandboxAccount {
  clock: Clock;
  submitDeadlineMs?: number;
  lookUpDeadlineMs?: number;
}

const { facts } = RAILS.sandbox;

/** Less than the ten seconds of a slow provider: waiting longer blocks a worker, and a look-up gets the same result. */
const SUBMIT_DEADLINE_MS = 8 * SECOND_MS;
const LOOK_UP_DEADLINE_MS = 5 * SECOND_MS;

const LIST_PAGE = 500;
const MAX_LIST_BYTES = 1_048_576;

/**
 * Statuses by which the provider guarantees that the order was rejected and not executed. 401, 403 and 404 are not among
 * them: they mean that our settings are wrong, which must not fail every payout in progress.
 */
const REJECTED = [400, 402, 422];

export const createSandboxRail = (options: SandboxRailOptions): OnlineRail => {
  const { url, apiKey, clock } = options;
  const http = createRailHttp({ url, headers: { authorization: `Bearer ${apiKey}` }, clock });
  const lookUpDeadlineMs = options.lookUpDeadlineMs ?? LOOK_UP_DEADLINE_MS;

  return {
    name: 'sandbox',
    kind: 'online',
    facts,

    async check() {
      const { status } = await http.call({ method: 'GET', path: '/v1/transfers?limit=1', deadlineMs: lookUpDeadlineMs });
      return checkOf(status);
    },

    async submit(order) {
      const request = redactOrder(order);
      const recipient = recipientOf(order);
      if (!recipient) return failedAnswer(faultOf('invalid_details'), { request, response: { sent: false } });
      const result = await http.call({
        method: 'POST',
        path: '/v1/transfers',
        headers: { 'idempotency-key': order.idempotencyKey },
        body: { json: { reference: order.reference, amount: order.amountMinor, currency: order.currency, recipient } },
        deadlineMs: options.submitDeadlineMs ?? SUBMIT_DEADLINE_MS,
      });
      const error = errorCodeOf(result);
      if (error && REJECTED.includes(result.status ?? 0))
        return failedAnswer(faultOf(error), { request, response: { http: result.status, error } });
      return readTransfer(result, request, (transfer) => matchesOrder(transfer, order));
    },

    async lookUp(attempt) {
      const { idempotencyKey } = attempt;
      const request = { idempotencyKey };
      const result = await http.call({
        method: 'GET',
        path: `/v1/transfers/by-key/${encodeURIComponent(idempotencyKey)}`,
        deadlineMs: lookUpDeadlineMs,
      });
      // Only the provider's own error code counts: a 404 of a proxy says nothing about the transfer.
      if (result.status === 404 && errorCodeOf(result) === 'transfer_not_found') {
        return { outcome: 'never_received', request, response: { http: 404, error: 'transfer_not_found' } };
      }
      return readTransfer(result, request, (transfer) => matchesOrder(transfer, attempt));
    },

    async list(since, until, cursor) {
      const period = `since=${since.toISOString()}&until=${until.toISOString()}`;
      const { status, json } = await http.call({
        method: 'GET',
        path: `/v1/transfers?limit=${LIST_PAGE}&${period}${cursor === undefined ? '' : `&after=${encodeURIComponent(cursor)}`}`,
        deadlineMs: lookUpDeadlineMs,
        maxBytes: MAX_LIST_BYTES,
      });
      return readTransferList(status, json);
    },

    readNotice: async (headers, rawBody) =>
      readSandboxNotification({ headers, rawBody, secret: options.notificationSecret, now: clock.now() }),
    close: () => http.close(),
  };
};

/** Credentials are all that it asks for. */
const checkOf = (status: number | null): AccountCheck | null => {
  if (status === 401) return { findings: [{ name: 'credentials', isWarning: false }], balances: null };
  return status === 200 ? { findings: [], balances: null } : null;
};

const configSchema = z.object({
  SANDBOX_URL: accountSchema.shape.url,
  SANDBOX_API_KEY: accountSchema.shape.apiKey,
  SANDBOX_NOTIFICATION_SECRET: accountSchema.shape.notificationSecret,
});

const installation: Installation<SandboxAccount, typeof configSchema> = {
  configSchema,
  accountOf: ({ SANDBOX_URL: url, SANDBOX_API_KEY: apiKey, SANDBOX_NOTIFICATION_SECRET: notificationSecret }) => ({
    ...{ url, apiKey, notificationSecret },
  }),
};

/** The rail of the demo, the tests and the chaos runs: a simulated payment provider in a separate process. */
export const sandboxRail = {
  name: 'sandbox',
  accountSchema,
  secrets: ['apiKey', 'notificationSecret'],
  identityOf: ({ url }) => url,
  installation,
  canPay: ({ amountMinor, currency, details: { method, paypalEmail, bankIban } }) => {
    const recipient = method === 'paypal' ? { email: paypalEmail, iban: null } : { email: null, iban: bankIban };
    return sandboxRefusalOf({ amountMinor, currency, ...recipient });
  },
  open: (account, { clock }) => createSandboxRail({ ...account, clock }),
} satisfies RailDefinition<SandboxAccount>;

const matchesOrder = (transfer: SandboxTransfer, order: SentAttempt | TransferOrder): boolean =>
  transfer.idempotencyKey === order.idempotencyKey &&
  transfer.reference === order.reference &&
  transfer.amount === order.amountMinor &&
  transfer.currency === order.currency;

const recipientOf = ({ details }: TransferOrder) => {
  const { paypalEmail, bankIban, bankAccountHolder } = details;
  if (details.method === 'paypal') return paypalEmail ? { type: 'paypal', email: paypalEmail } : null;
  if (!bankIban || !bankAccountHolder) return null;
  return { type: 'bank_account', iban: compactIban(bankIban), holder: bankAccountHolder };
};

const compactIban = (iban: string): string => iban.replace(/\s/g, '').toUpperCase();

const redactOrder = ({ details, ...order }: TransferOrder): Redacted => ({
  idempotencyKey: order.idempotencyKey,
  reference: order.reference,
  amountMinor: order.amountMinor,
  currency: order.currency,
  recipientType: details.method,
  lastFour: details.method === 'bank_transfer' ? compactIban(details.bankIban ?? '').slice(-4) : null,
});
