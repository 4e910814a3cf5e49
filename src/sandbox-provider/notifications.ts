import { request } from 'undici';
import { signWebhook } from '../platform/crypto/standard-webhooks.ts';
import type { Logger } from '../platform/logger.ts';
import type { Delays } from './delays.ts';
import type { SandboxSettings } from './settings.ts';
import type { Store } from './store.ts';
import type { Transfer, TransferEvent } from './transfer.ts';

export interface Notifications {
  /** Tells our server until it answers 2xx or the schedule ends. Returns at once. */
  tell(transfer: Transfer, event: TransferEvent): void;
}

interface Parts {
  settings: SandboxSettings;
  store: Store;
  delays: Delays;
  log: Logger;
}

/** The same event has the same id in every try and after every restart, so receivers can tell repeats. */
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
      status: event.status,
      failureCode: event.failureCode,
    },
  });

export const createNotifications = ({ settings, store, delays, log }: Parts): Notifications => {
  const url = settings.SANDBOX_NOTIFICATION_URL;
  const deadlineMs = settings.SANDBOX_NOTIFICATION_DEADLINE_MS;

  const tryOnce = async (target: string, id: string, body: string): Promise<boolean> => {
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    try {
      const answer = await request(target, {
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
      await answer.body.dump();
      return answer.statusCode >= 200 && answer.statusCode < 300;
    } catch {
      return false;
    }
  };

  const retry = async (target: string, id: string, body: string): Promise<void> => {
    for (const waitMs of [0, ...settings.SANDBOX_NOTIFICATION_WAITS_MS]) {
      if (!(await delays.wait(waitMs))) return;
      if (await tryOnce(target, id, body)) return store.markTold(id);
    }
    log.warn({ notificationId: id }, 'a notification was given up');
  };

  return {
    tell(transfer, event) {
      if (url === undefined) return;
      const id = notificationIdOf(transfer, event);
      retry(url, id, bodyOf(transfer, event)).catch((err) => log.error({ err, notificationId: id }, 'a notification failed'));
    },
  };
};
