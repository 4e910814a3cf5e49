import type { Delays } from './delays.ts';
import type { Notifications } from './notifications.ts';
import { notificationIdOf } from './notifications.ts';
import { scriptOf } from './scripts.ts';
import type { SandboxSettings } from './settings.ts';
import type { Store } from './store.ts';
import type { Transfer, TransferEvent, TransferStatus } from './transfer.ts';
import { statusOf } from './transfer.ts';

export interface Settlement {
  /** Sends the notifications of a new transfer and schedules what happens next. */
  start(transfer: Transfer): void;
  /** The transfer was retrieved by its key. */
  onRetrieved(transfer: Transfer): void;
  /** After a restart: continues every transfer and sends the notifications that were not delivered. */
  resume(): void;
}

interface Parts {
  settings: SandboxSettings;
  store: Store;
  delays: Delays;
  notifications: Notifications;
}

/** Moves accepted transfers to their scripted final status. */
export const createSettlement = ({ settings, store, delays, notifications }: Parts): Settlement => {
  const notify = (transfer: Transfer, event: TransferEvent): void => {
    const script = scriptOf(transfer.script);
    // A rejected transfer does not exist for the payer; with `paid-on-retrieval`, the payment is never notified.
    const isSilent = transfer.events[0]?.status === 'failed' || (script.end === 'paid-on-retrieval' && event.status === 'paid');
    if (isSilent || script.notifications === 'off') return;
    if (script.notifications === 'reversed' && event.status === 'accepted') {
      // Late enough for the notification of the payment to arrive first.
      delays.after(settings.SANDBOX_SETTLE_MS + 500, () => notifications.send(transfer, event));
      return;
    }
    notifications.send(transfer, event);
    if (script.notifications === 'twice') notifications.send(transfer, event);
  };

  const setStatus = (transfer: Transfer, status: TransferStatus, failureCode: string | null = null): void => {
    notify(transfer, store.addEvent(transfer, status, failureCode));
    advance(transfer);
  };

  const advance = (transfer: Transfer): void => {
    const { end = 'paid' } = scriptOf(transfer.script);
    const status = statusOf(transfer);
    if (status === 'accepted' && end === 'failed') {
      delays.after(settings.SANDBOX_SETTLE_MS, () => setStatus(transfer, 'failed', 'account_closed'));
    } else if (status === 'accepted' && end !== 'paid-on-retrieval') {
      delays.after(settings.SANDBOX_SETTLE_MS, () => setStatus(transfer, 'paid'));
    } else if (status === 'paid' && end.startsWith('returned')) {
      const waitMs = end === 'returned' ? settings.SANDBOX_RETURN_MS : settings.SANDBOX_RETURN_SLOW_MS;
      delays.after(waitMs, () => setStatus(transfer, 'returned', 'recipient_unreachable'));
    }
  };

  return {
    start(transfer) {
      for (const event of transfer.events) notify(transfer, event);
      advance(transfer);
    },
    onRetrieved(transfer) {
      if (scriptOf(transfer.script).end === 'paid-on-retrieval' && statusOf(transfer) === 'accepted') setStatus(transfer, 'paid');
    },
    resume() {
      for (const transfer of store.all()) {
        const undelivered = transfer.events.filter((event) => !store.isNotified(notificationIdOf(transfer, event)));
        for (const event of undelivered) notify(transfer, event);
        advance(transfer);
      }
    },
  };
};
