/** The same seed gives the same numbers. */
export interface SeededRandom {
  /** An integer from 0 to `below` - 1. */
  integer(below: number): number;
  pick<T>(from: readonly T[]): T;
}

export const seededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number): number => Math.floor(next() * below);
  return {
    integer,
    pick: (from) => {
      const picked = from[integer(from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
};
