import { LANE_SLOTS } from '../../../contracts/webhooks.ts';

/** The slot of an endpoint, as the database generates it from the id. */
export const slotOf = (endpointId: string): number => Number.parseInt(endpointId.slice(-2), 16) % LANE_SLOTS;

export const laneOf = (slot: number, lanes: number): number => slot % lanes;

/** What the lane serves; nothing if there are fewer lanes. */
export const slotsOf = (lane: number, lanes: number): number[] =>
  Array.from({ length: LANE_SLOTS }, (_, slot) => slot).filter((slot) => laneOf(slot, lanes) === lane);
