import { createHmac } from 'node:crypto';
import type { Delays } from './delays.ts';
import type { Recipients } from './recipients.ts';
import type { FailBefore, ResponseMode } from './scripts.ts';
import { scriptNameOf, scriptOf } from './scripts.ts';
import type { SandboxSettings } from './settings.ts';
import type { Settlement } from './settlement.ts';
import type { Store } from './store.ts';
import type { Transfer, TransferOrder } from './transfer.ts';
import { statusOf } from './transfer.ts';

/** The result of a request, as the response is to show it. */
export type Submitted =
  | { kind: 'fail-before'; failBefore: FailBefore }
  | { kind: 'key-reused' }
  | { kind: 'transfer'; transfer: Transfer; isNew: boolean; responseMode: ResponseMode }
  | { kind: 'closing' };

export type Submit = (idempotencyKey: string, order: TransferOrder) => Promise<Submitted>;

interface Parts {
  settings: SandboxSettings;
  store: Store;
  delays: Delays;
  recipients: Recipients;
  settlement: Settlement;
}

/** Executes each key once within the repeat window, also for concurrent requests. */
export const createSubmission = ({ settings, store, delays, recipients, settlement }: Parts): Submit => {
  const tried = new Set<string>();

  const repeat = (transfer: Transfer, fingerprint: string): Submitted => {
    if (transfer.fingerprint !== fingerprint) return { kind: 'key-reused' };
    const isExpired = Date.now() - Date.parse(transfer.createdAt) > settings.SANDBOX_REPEAT_WINDOW_MS;
    if (isExpired && statusOf(transfer) !== 'failed') store.executeAgain(transfer);
    return { kind: 'transfer', transfer, isNew: false, responseMode: 'normal' };
  };

  const execute = (idempotencyKey: string, order: TransferOrder, fingerprint: string): Transfer => {
    const name = scriptNameOf(order.recipient);
    const { rejectWith, end } = scriptOf(name);
    const transfer = store.add({
      idempotencyKey,
      fingerprint,
      reference: order.reference,
      amount: order.amount,
      currency: order.currency,
      recipientType: order.recipient.type,
      recipient: recipients.seal(order.recipient.type === 'paypal' ? order.recipient.email : order.recipient.iban),
      script: name,
      executedCount: rejectWith === undefined && end !== 'failed' ? 1 : 0,
      status: rejectWith === undefined ? 'accepted' : 'failed',
      failureCode: rejectWith ?? null,
    });
    tried.delete(idempotencyKey);
    settlement.start(transfer);
    return transfer;
  };

  return async (idempotencyKey, order) => {
    const fingerprint = createHmac('sha256', settings.SANDBOX_API_KEY).update(JSON.stringify(order)).digest('hex');
    const known = store.findByKey(idempotencyKey);
    if (known) return repeat(known, fingerprint);

    const script = scriptOf(scriptNameOf(order.recipient));
    const fails = script.always === true || !tried.has(idempotencyKey);
    if (script.failBefore && fails) {
      tried.add(idempotencyKey);
      return { kind: 'fail-before', failBefore: script.failBefore };
    }
    if (script.delayExecution) {
      if (!(await delays.wait(settings.SANDBOX_SLOW_MS))) return { kind: 'closing' };
      // Another request may have executed this key during the wait.
      const meanwhile = store.findByKey(idempotencyKey);
      if (meanwhile) return repeat(meanwhile, fingerprint);
    }
    return {
      kind: 'transfer',
      transfer: execute(idempotencyKey, order, fingerprint),
      isNew: true,
      responseMode: script.responseMode ?? 'normal',
    };
  };
};
