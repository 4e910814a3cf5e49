import { PAYPAL_FAULTS } from '../../contracts/paypal-faults.ts';
import type { Delays } from '../sandbox-provider/delays.ts';
import { createDoubleBooks } from './books.ts';
import type { DoubleBatch, DoubleItem } from './model.ts';
import type { DoubleNotices } from './notices.ts';
import type { PayPalDoubleSettings } from './settings.ts';
import type { DoubleStore } from './store.ts';

/** What becomes of a payment, by the part of the receiver's address before `@` or `+`. Any other is paid. */
interface Fate {
  state: string;
  reason?: string;
  /** Where it goes from there. */
  later?: 'RETURNED' | 'REFUNDED' | 'REVERSED';
}

const FATES: Readonly<Record<string, Fate>> = {
  unclaimed: { state: 'UNCLAIMED', reason: 'RECEIVER_UNREGISTERED' },
  unconfirmed: { state: 'UNCLAIMED', reason: 'RECEIVER_UNCONFIRMED' },
  pending: { state: 'PENDING' },
  onhold: { state: 'ONHOLD', reason: 'REGULATORY_PENDING' },
  blocked: { state: 'BLOCKED', reason: 'REGULATORY_BLOCKED' },
  // Seen inside a successful batch, and in no list of states.
  denied: { state: 'DENIED' },
  returned: { state: 'UNCLAIMED', reason: 'RECEIVER_UNREGISTERED', later: 'RETURNED' },
  refunded: { state: 'SUCCESS', later: 'REFUNDED' },
  reversed: { state: 'SUCCESS', later: 'REVERSED' },
};

/** `receiver-account-locked@example.com` fails with RECEIVER_ACCOUNT_LOCKED. */
const fateOf = (receiver: string): Fate => {
  const name = /^[^@+]*/.exec(receiver.toLowerCase())?.[0] ?? '';
  const code = name.replaceAll('-', '_');
  if (Object.hasOwn(FATES, name)) return FATES[name] ?? { state: 'SUCCESS' };
  return code.includes('_') && PAYPAL_FAULTS.has(code) ? { state: 'FAILED', reason: code.toUpperCase() } : { state: 'SUCCESS' };
};

export interface DoubleSettlement {
  start(batch: DoubleBatch): void;
  /** After a restart. */
  resume(): void;
  /** Sets the state of an item, with what follows from it for the balance. */
  move(batch: DoubleBatch, state: string, reason?: string | null): DoubleBatch;
}

interface Parts {
  settings: PayPalDoubleSettings;
  store: DoubleStore;
  delays: Delays;
  notices: DoubleNotices;
}

export const createDoubleSettlement = ({ settings, store, delays, notices }: Parts): DoubleSettlement => {
  const books = createDoubleBooks(store);
  const move = (batch: DoubleBatch, state: string, reason: string | null = null): DoubleBatch => {
    const before = batch.status === 'SUCCESS' ? batch.item.state : '';
    const item: DoubleItem = { ...batch.item, state, reason, processedAt: new Date().toISOString() };
    const moved: DoubleBatch = { ...batch, status: batch.status === 'DENIED' ? 'DENIED' : 'SUCCESS', item };
    store.saveBatch(moved);
    books.book(moved, before);
    notices.item(moved);
    return moved;
  };
  const settle = (id: string): void => {
    const batch = store.batches.get(id);
    if (!batch || (batch.status !== 'PENDING' && batch.status !== 'PROCESSING')) return;
    const { currency, value, receiver } = batch.item;
    if (Number(books.balanceOf(batch.account, currency)) < Number(value)) {
      // Without money the batch is taken first, and denied as a whole then.
      const denied = { ...batch, status: 'DENIED' as const };
      move(denied, 'FAILED', 'INSUFFICIENT_FUNDS');
      return notices.batch(denied);
    }
    const fate = fateOf(receiver);
    const moved = move(batch, fate.state, fate.reason ?? null);
    notices.batch(moved);
    if (fate.later) comeBack(moved.id, fate.later);
  };
  const comeBack = (id: string, state: string): void =>
    delays.after(settings.PAYPAL_DOUBLE_RETURN_MS, () => {
      const batch = store.batches.get(id);
      const isOpen = batch && (batch.item.state === 'UNCLAIMED' || batch.item.state === 'SUCCESS');
      if (isOpen) move(batch, state, state === 'RETURNED' ? batch.item.reason : null);
    });
  const start = ({ id }: DoubleBatch): void => {
    delays.after(settings.PAYPAL_DOUBLE_SETTLE_MS / 2, () => {
      const batch = store.batches.get(id);
      if (batch?.status !== 'PENDING') return;
      const next = { ...batch, status: 'PROCESSING' as const };
      store.saveBatch(next);
      notices.batch(next);
    });
    delays.after(settings.PAYPAL_DOUBLE_SETTLE_MS, () => settle(id));
  };
  return {
    start,
    move,
    resume() {
      for (const batch of store.batches.values()) {
        const { later } = fateOf(batch.item.receiver);
        if (batch.status === 'PENDING' || batch.status === 'PROCESSING') start(batch);
        else if (later) comeBack(batch.id, later);
      }
    },
  };
};
