import { LOOK_UP_JITTER, type PayoutTiming } from '../../src/contracts/workflows/payouts.ts';

/** When the provider is asked again after `lookUps` times, or after a pause of its own. */
export const nextLookUp = ({ lookUpMs, lookUpMaxMs }: PayoutTiming, lookUps: number, ownPauseMs?: number): number => {
  const pauseMs = ownPauseMs ?? Math.min(lookUpMs * 2 ** Math.min(lookUps, 30), lookUpMaxMs);
  return Date.now() + Math.round(pauseMs * (1 - LOOK_UP_JITTER * Math.random()));
};
