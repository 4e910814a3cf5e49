import { DAY_MS } from '../../platform/clock.ts';

/** Number of the day in UTC. */
export const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);
