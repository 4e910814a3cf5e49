import { request } from 'undici';
import { signWebhook } from '../../platform/crypto/standard-webhooks.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Delays } from './delays.ts';
import type { SandboxSettings } from './settings.ts';
import type { Store } from './store.ts';
import type { Transfer, TransferEvent } from './transfer.ts';
import { feeAt } from './transfer-view.ts';

export interface Notifications {
  /** Sends until the receiver returns 2xx or the retries are exhausted. Returns at once. */
  send(transfer: Transfer, event: TransferEvent): void;
}

interface Parts {
  settings: SandboxSettings;
  store: Store;
  delays: Delays;
  log: Logger;
}

/** The same in every attempt and after a restart, so that receivers can recognize duplicates. */
export const notificationIdOf = (transfer: Transfer, event: TransferEvent): string =>
  `ntc_${transfer.id.slice(4)}_${event.status}`;

const bodyOf = (transfer: Transfer, event: TransferEvent): string =>
  JSON.stringify({
    id: notificationIdOf(transfer, event),
    type: `transfer.${event.status}`,
    occurredAt: event.at,
    transfer: {
      id: transfer.id,
      idempotencyKey: transfer.idempotencyKey,
      reference: transfer.reference,
      amount: transfer.amount,
      currency: transfer.currency,
      status: event.status,
      failureCode: event.failureCode,
      ...feeAt(transfer, event.status),
    },
  });

export const createNotifications = ({ settings, store, delays, log }: Parts): Notifications => {
  const url = settings.SANDBOX_NOTIFICATION_URL;
  const deadlineMs = settings.SANDBOX_NOTIFICATION_DEADLINE_MS;

  const sendOnce = async (target: string, id: string, body: string): Promise<boolean> => {
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    try {
      const response = await request(target, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(timestampSeconds),
          'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets: [settings.SANDBOX_NOTIFICATION_SECRET] }),
        },
        body,
        signal: AbortSignal.timeout(deadlineMs),
      });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300;
    } catch {
      return false;
    }
  };

  const sendWithRetries = async (target: string, id: string, body: string): Promise<void> => {
    for (const waitMs of [0, ...settings.SANDBOX_NOTIFICATION_WAITS_MS]) {
      if (!(await delays.wait(waitMs))) return;
      if (await sendOnce(target, id, body)) return store.markNotified(id);
    }
    log.warn({ notificationId: id }, 'notification retries exhausted');
  };

  return {
    send(transfer, event) {
      if (url === undefined) return;
      const id = notificationIdOf(transfer, event);
      sendWithRetries(url, id, bodyOf(transfer, event)).catch((err) =>
        log.error({ err, notificationId: id }, 'notification failed'),
      );
    },
  };
};
