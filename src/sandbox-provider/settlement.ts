import type { Delays } from './delays.ts';
import type { Notifications } from './notifications.ts';
import { notificationIdOf } from './notifications.ts';
import { scriptOf } from './scripts.ts';
import type { SandboxSettings } from './settings.ts';
import type { Store } from './store.ts';
import type { Transfer, TransferEvent, TransferStatus } from './transfer.ts';
import { statusOf } from './transfer.ts';

export interface Settlement {
  /** Tells of a new transfer and lets time pass over it. */
  begin(transfer: Transfer): void;
  /** Somebody looked it up. */
  asked(transfer: Transfer): void;
  /** After a restart: goes on with every transfer and tells what was not heard. */
  resume(): void;
}

interface Parts {
  settings: SandboxSettings;
  store: Store;
  delays: Delays;
  notifications: Notifications;
}

/** Moves accepted transfers to their scripted end. */
export const createSettlement = ({ settings, store, delays, notifications }: Parts): Settlement => {
  const tell = (transfer: Transfer, event: TransferEvent): void => {
    const script = scriptOf(transfer.script);
    // A transfer that was refused at once never existed for the payer; and of `asked` the news never arrives.
    const isSilent = transfer.events[0]?.status === 'failed' || (script.end === 'asked' && event.status === 'paid');
    if (isSilent || script.notifications === 'off') return;
    if (script.notifications === 'reversed' && event.status === 'accepted') {
      // Long enough for the payment, which is told at once, to be heard first.
      delays.after(settings.SANDBOX_SETTLE_MS + 500, () => notifications.tell(transfer, event));
      return;
    }
    notifications.tell(transfer, event);
    if (script.notifications === 'twice') notifications.tell(transfer, event);
  };

  const move = (transfer: Transfer, status: TransferStatus, failureCode: string | null = null): void => {
    tell(transfer, store.happen(transfer, status, failureCode));
    advance(transfer);
  };

  const advance = (transfer: Transfer): void => {
    const { end = 'paid' } = scriptOf(transfer.script);
    const status = statusOf(transfer);
    if (status === 'accepted' && end === 'failed') {
      delays.after(settings.SANDBOX_SETTLE_MS, () => move(transfer, 'failed', 'account_closed'));
    } else if (status === 'accepted' && end !== 'asked') {
      delays.after(settings.SANDBOX_SETTLE_MS, () => move(transfer, 'paid'));
    } else if (status === 'paid' && end.startsWith('returned')) {
      const waitMs = end === 'returned' ? settings.SANDBOX_RETURN_MS : settings.SANDBOX_RETURN_SLOW_MS;
      delays.after(waitMs, () => move(transfer, 'returned', 'recipient_unreachable'));
    }
  };

  return {
    begin(transfer) {
      for (const event of transfer.events) tell(transfer, event);
      advance(transfer);
    },
    asked(transfer) {
      if (scriptOf(transfer.script).end === 'asked' && statusOf(transfer) === 'accepted') move(transfer, 'paid');
    },
    resume() {
      for (const transfer of store.all()) {
        const unheard = transfer.events.filter((event) => !store.wasTold(notificationIdOf(transfer, event)));
        for (const event of unheard) tell(transfer, event);
        advance(transfer);
      }
    },
  };
};
