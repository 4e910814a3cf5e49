import type { Context } from '../platform/context.ts';
import { approveOnUnblock } from './conversions/index.ts';
import { cancelWaitingWork } from './due-approvals.ts';
import { createFirstLink } from './links/index.ts';
import { mailOnEvent, mailOnInternalEvent } from './notifications/index.ts';
import { signalBlockedPayouts, signalPendingPayouts } from './payouts/index.ts';
import { hearPayeeOnEvent } from './stripe-connections/index.ts';
import { fanOutEvents } from './webhooks/index.ts';

/** Who hears of what happens, in the order in which they are called, inside the transaction in which it happens. */
export const LISTENERS = {
  listeners: [fanOutEvents, createFirstLink, approveOnUnblock, signalBlockedPayouts, mailOnEvent],
  internalListeners: [hearPayeeOnEvent, mailOnInternalEvent],
  onHold: signalPendingPayouts,
  onAccessEnded: cancelWaitingWork,
} satisfies Partial<Context>;
