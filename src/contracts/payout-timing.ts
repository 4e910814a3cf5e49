import type { PayoutTiming } from './workflows.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

/** How long payout workflows wait before they look up a status or send a reminder. */
export const PAYOUT_TIMING: PayoutTiming = {
  lookUpMs: 2 * SECOND,
  lookUpMaxMs: HOUR,
  remindAfterMs: [24 * HOUR, 72 * HOUR, 168 * HOUR],
};
