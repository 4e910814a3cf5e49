import { z } from 'zod';
import { RAILS } from '../../../contracts/rails.ts';
import { sandboxRefusalOf } from '../../../contracts/sandbox-limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import {
  failedResult,
  type PayoutRail,
  type RailDefinition,
  type Redacted,
  type SentAttempt,
  type TransferOrder,
} from './rail.ts';
import { createRailHttp } from './rail-http.ts';
import { verifySandboxNotification } from './sandbox-notification.ts';
import { errorCodeOf, readTransfer, type SandboxTransfer } from './sandbox-response.ts';

export interface SandboxRailOptions {
  url: string;
  apiKey: string;
  notificationSecret: string;
  clock: Clock;
  submitDeadlineMs?: number;
  lookUpDeadlineMs?: number;
}

const { facts } = RAILS.sandbox;

/** Less than the ten seconds of a slow provider: waiting longer blocks a worker, and a look-up gets the same result. */
const SUBMIT_DEADLINE_MS = 8 * SECOND_MS;
const LOOK_UP_DEADLINE_MS = 5 * SECOND_MS;

/**
 * Statuses by which the provider guarantees that the order was rejected and not executed. 401, 403 and 404 are not among
 * them: they mean that our settings are wrong, which must not fail every payout in progress.
 */
const REJECTED = [400, 402, 422];

export const createSandboxRail = (options: SandboxRailOptions): PayoutRail => {
  const http = createRailHttp({ url: options.url, headers: { authorization: `Bearer ${options.apiKey}` } });

  return {
    name: 'sandbox',
    repeatWindowMs: facts.repeatWindowMs,
    maxAcceptedMs: facts.acceptedForMs.default,

    async submit(order) {
      const request = redactOrder(order);
      const recipient = recipientOf(order);
      if (!recipient) return failedResult('invalid_details', { request, response: { sent: false } });
      const result = await http.call({
        method: 'POST',
        path: '/v1/transfers',
        headers: { 'content-type': 'application/json', 'idempotency-key': order.idempotencyKey },
        body: JSON.stringify({ reference: order.reference, amount: order.amountMinor, currency: order.currency, recipient }),
        deadlineMs: options.submitDeadlineMs ?? SUBMIT_DEADLINE_MS,
      });
      const error = errorCodeOf(result);
      if (error && REJECTED.includes(result.status ?? 0))
        return failedResult(error, { request, response: { http: result.status, error } });
      return readTransfer(result, request, (transfer) => matchesOrder(transfer, order));
    },

    async lookUp(attempt) {
      const { idempotencyKey } = attempt;
      const request = { idempotencyKey };
      const result = await http.call({
        method: 'GET',
        path: `/v1/transfers/by-key/${encodeURIComponent(idempotencyKey)}`,
        deadlineMs: options.lookUpDeadlineMs ?? LOOK_UP_DEADLINE_MS,
      });
      // Only the provider's own error code counts: a 404 of a proxy says nothing about the transfer.
      if (result.status === 404 && errorCodeOf(result) === 'transfer_not_found') {
        return { outcome: 'never_received', request, response: { http: 404, error: 'transfer_not_found' } };
      }
      return readTransfer(result, request, (transfer) => matchesOrder(transfer, attempt));
    },

    verifyNotification: async (headers, rawBody) =>
      verifySandboxNotification({ headers, rawBody, secret: options.notificationSecret, now: options.clock.now() }),
    close: () => http.close(),
  };
};

const configSchema = z.object({
  SANDBOX_URL: z.url(),
  SANDBOX_API_KEY: z.string().min(1),
  SANDBOX_NOTIFICATION_SECRET: z.string().startsWith('whsec_'),
});

/** The rail of the demo, the tests and the chaos runs: a simulated payment provider in a separate process. */
export const sandboxRail: RailDefinition<'sandbox', typeof configSchema> = {
  name: 'sandbox',
  configSchema,
  canPay: ({ amountMinor, currency, details: { method, paypalEmail, bankIban } }) => {
    const recipient = method === 'paypal' ? { email: paypalEmail, iban: null } : { email: null, iban: bankIban };
    return sandboxRefusalOf({ amountMinor, currency, ...recipient });
  },
  create: ({ SANDBOX_URL: url, SANDBOX_API_KEY: apiKey, SANDBOX_NOTIFICATION_SECRET: notificationSecret }, clock) =>
    createSandboxRail({ url, apiKey, notificationSecret, clock }),
};

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
