import type { PayoutTiming } from './workflows.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** How long payout workflows wait before they look up a status or send a reminder. */
export const PAYOUT_TIMING: PayoutTiming = {
  lookUpMs: 2 * SECOND,
  lookUpMaxMs: HOUR,
  remindAfterMs: [24 * HOUR, 72 * HOUR, 168 * HOUR],
};

/** When an order is sent again, and when silence is brought to a person. */
export interface PayoutLimits {
  /** Pauses before each resend, counted from the send before it. There are no further resends. */
  resendPausesMs: readonly number[];
  /** The first pause doubles with each answer that the order was not taken, up to this. */
  maxNotTakenPauseMs: number;
  /** A send that has not begun by then is dropped: the process may have been suspended for hours. */
  sendLeaseMs: number;
  /** How long the step that sent an accepted order waits for the provider's notification. */
  notificationWaitMs: number;
  /** How long an attempt may be unknown before a person has to decide. */
  maxUnknownMs: number;
}

export const PAYOUT_LIMITS: PayoutLimits = {
  resendPausesMs: [5 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR],
  maxNotTakenPauseMs: 10 * MINUTE,
  sendLeaseMs: 10 * SECOND,
  notificationWaitMs: SECOND,
  maxUnknownMs: 24 * HOUR,
};
