import type { PayoutTiming } from '../../src/contracts/workflows/payouts.ts';

/** Of the pause before a look-up, so that payouts that were sent together are not looked up together. */
const JITTER = 0.2;

/** When the provider is asked again after `lookUps` times, or after a pause of its own. */
export const nextLookUp = ({ lookUpMs, lookUpMaxMs }: PayoutTiming, lookUps: number, ownPauseMs?: number): number => {
  const pauseMs = ownPauseMs ?? Math.min(lookUpMs * 2 ** Math.min(lookUps, 30), lookUpMaxMs);
  return Date.now() + Math.round(pauseMs * (1 - JITTER * Math.random()));
};
