import type { Clock } from '../../../platform/clock.ts';
import { HOUR_MS, SECOND_MS } from '../../../platform/clock.ts';
import type { PayoutRail, Redacted, TransferOrder } from './rail.ts';
import { createRailHttp } from './rail-http.ts';
import { verifySandboxNotification } from './sandbox-notification.ts';
import { errorCodeOf, failed, neverReceived, readTransfer, type Transfer } from './sandbox-response.ts';

export interface SandboxRailOptions {
  url: string;
  apiKey: string;
  notificationSecret: string;
  clock: Clock;
  submitDeadlineMs?: number;
  lookUpDeadlineMs?: number;
}

/** Below the ten seconds of a slow provider: waiting longer holds a worker, and a look-up finds out as well. */
const SUBMIT_DEADLINE_MS = 8 * SECOND_MS;
const LOOK_UP_DEADLINE_MS = 5 * SECOND_MS;

/**
 * Statuses with which the provider promises "refused and not executed". 401, 403 and 404 are not among them: they say
 * that our settings are wrong, and a wrong setting must not fail every payout on its way.
 */
const REFUSED = [400, 402, 422];

/** The rail of the demo, the tests and the chaos runs: a payment provider in a process of its own. */
export const createSandboxRail = (options: SandboxRailOptions): PayoutRail => {
  const http = createRailHttp(options);

  return {
    name: 'sandbox',
    byHand: false,
    repeatWindowMs: 24 * HOUR_MS,

    async submit(order) {
      const request = redactedOrder(order);
      const recipient = recipientOf(order);
      if (!recipient) return failed('invalid_details', request, { sent: false });
      const answer = await http.call({
        method: 'POST',
        path: '/v1/transfers',
        headers: { 'content-type': 'application/json', 'idempotency-key': order.idempotencyKey },
        body: JSON.stringify({ reference: order.reference, amount: order.amountMinor, currency: order.currency, recipient }),
        deadlineMs: options.submitDeadlineMs ?? SUBMIT_DEADLINE_MS,
      });
      const code = errorCodeOf(answer);
      if (code && REFUSED.includes(answer.status ?? 0)) return failed(code, request, { http: answer.status, error: code });
      return readTransfer(answer, request, (found) => isOrder(found, order));
    },

    async lookUp(idempotencyKey) {
      const request = { idempotencyKey };
      const answer = await http.call({
        method: 'GET',
        path: `/v1/transfers/by-key/${encodeURIComponent(idempotencyKey)}`,
        deadlineMs: options.lookUpDeadlineMs ?? LOOK_UP_DEADLINE_MS,
      });
      // Only the provider's own word counts: a 404 of a proxy on the way says nothing about the transfer.
      if (answer.status === 404 && errorCodeOf(answer) === 'transfer_not_found') return neverReceived(request);
      return readTransfer(answer, request, (found) => found.idempotencyKey === idempotencyKey);
    },

    verifyNotification: (headers, rawBody) =>
      verifySandboxNotification({ headers, rawBody, secret: options.notificationSecret, now: options.clock.now() }),
    close: () => http.close(),
  };
};

const isOrder = (found: Transfer, order: TransferOrder): boolean =>
  found.idempotencyKey === order.idempotencyKey &&
  found.reference === order.reference &&
  found.amount === order.amountMinor &&
  found.currency === order.currency;

const recipientOf = ({ details }: TransferOrder) => {
  const { paypalEmail, bankIban, bankAccountHolder } = details;
  if (details.method === 'paypal') return paypalEmail ? { type: 'paypal', email: paypalEmail } : null;
  if (!bankIban || !bankAccountHolder) return null;
  return { type: 'bank_account', iban: compactIban(bankIban), holder: bankAccountHolder };
};

const compactIban = (iban: string): string => iban.replace(/\s/g, '').toUpperCase();

const redactedOrder = ({ details, ...order }: TransferOrder): Redacted => ({
  idempotencyKey: order.idempotencyKey,
  reference: order.reference,
  amountMinor: order.amountMinor,
  currency: order.currency,
  recipientType: details.method,
  lastFour: details.method === 'bank_transfer' ? compactIban(details.bankIban ?? '').slice(-4) : null,
});
