/** Random numbers that a seed repeats. */
export interface SeededRandom {
  /** A whole number from 0 below `below`. */
  roll(below: number): number;
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
  const roll = (below: number): number => Math.floor(next() * below);
  return {
    roll,
    pick: (from) => {
      const picked = from[roll(from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
};
