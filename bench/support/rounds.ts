import { options } from './options.ts';
import { log } from './report.ts';

export interface Pair<T> {
  ours: T;
  anchor: T;
}

/** Measures both alternately and swaps the order each round, so that a slow period of the machine affects both. */
export const alternate = async <T>(
  ours: () => Promise<T>,
  anchor: () => Promise<T>,
  describe: (pair: Pair<T>) => string,
): Promise<Pair<T>[]> => {
  const pairs: Pair<T>[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const first = await (round % 2 === 0 ? ours : anchor)();
    const second = await (round % 2 === 0 ? anchor : ours)();
    const pair = round % 2 === 0 ? { ours: first, anchor: second } : { ours: second, anchor: first };
    pairs.push(pair);
    log(`   round ${round + 1} of ${options.rounds}: ${describe(pair)}`);
  }
  return pairs;
};
