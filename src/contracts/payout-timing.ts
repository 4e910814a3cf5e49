import type { PayoutTiming } from './workflows.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

/** How long payout stories wait for others before they ask or remind. */
export const PAYOUT_TIMING: PayoutTiming = {
  lookUpMs: 2 * SECOND,
  lookUpMaxMs: HOUR,
  remindAfterMs: [24 * HOUR, 72 * HOUR, 168 * HOUR],
};
