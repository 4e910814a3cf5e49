import { request } from 'undici';
import { signWebhook } from '../../platform/crypto/standard-webhooks.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Delays } from './delays.ts';
import type { SandboxSettings } from './settings.ts';
import type { Store } from './store.ts';
import type { Happening, Transfer } from './transfer.ts';

export interface Notices {
  /** Tells our server until it answers 2xx or the schedule ends. Returns at once. */
  tell(transfer: Transfer, happening: Happening): void;
}

interface Parts {
  settings: SandboxSettings;
  store: Store;
  delays: Delays;
  log: Logger;
}

/** The same happening has the same id in every try and after every restart, so receivers can tell repeats. */
export const noticeIdOf = (transfer: Transfer, happening: Happening): string => `ntc_${transfer.id.slice(4)}_${happening.status}`;

const bodyOf = (transfer: Transfer, happening: Happening): string =>
  JSON.stringify({
    id: noticeIdOf(transfer, happening),
    type: `transfer.${happening.status}`,
    occurredAt: happening.at,
    transfer: {
      id: transfer.id,
      idempotencyKey: transfer.idempotencyKey,
      reference: transfer.reference,
      status: happening.status,
      failureCode: happening.failureCode,
    },
  });

export const createNotices = ({ settings, store, delays, log }: Parts): Notices => {
  const url = settings.SANDBOX_NOTICE_URL;
  const deadlineMs = settings.SANDBOX_NOTICE_DEADLINE_MS;

  const tryOnce = async (target: string, id: string, body: string): Promise<boolean> => {
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    try {
      const answer = await request(target, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(timestampSeconds),
          'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets: [settings.SANDBOX_NOTICE_SECRET] }),
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

  const insist = async (target: string, id: string, body: string): Promise<void> => {
    for (const waitMs of [0, ...settings.SANDBOX_NOTICE_WAITS_MS]) {
      if (!(await delays.wait(waitMs))) return;
      if (await tryOnce(target, id, body)) return store.markTold(id);
    }
    log.warn({ noticeId: id }, 'a notice was given up');
  };

  return {
    tell(transfer, happening) {
      if (url === undefined) return;
      const id = noticeIdOf(transfer, happening);
      insist(url, id, bodyOf(transfer, happening)).catch((err) => log.error({ err, noticeId: id }, 'a notice failed'));
    },
  };
};
