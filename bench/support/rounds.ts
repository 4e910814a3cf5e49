import { options } from './options.ts';
import { log, median, rounded } from './report.ts';

export interface Pair<T> {
  ours: T;
  anchor: T;
}

/** Measures both alternately and swaps the order each round, so that a slow period of the machine affects both. */
export const alternate = async <T>(
  ours: () => Promise<T>,
  anchor: () => Promise<T>,
  describe: (pair: Pair<T>) => string,
  rounds = options.rounds,
): Promise<Pair<T>[]> => {
  const pairs: Pair<T>[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = await (round % 2 === 0 ? ours : anchor)();
    const second = await (round % 2 === 0 ? anchor : ours)();
    const pair = round % 2 === 0 ? { ours: first, anchor: second } : { ours: second, anchor: first };
    pairs.push(pair);
    log(`   round ${round + 1} of ${rounds}: ${describe(pair)}`);
  }
  return pairs;
};

export interface Rate {
  perSecond: number;
  cpuMicros: number;
}

/** Measures both alternately; the medians are in the form that `report` takes. */
export const compareRates = async <T extends Rate>(ours: () => Promise<T>, anchor: () => Promise<T>) => {
  const pairs = await alternate(ours, anchor, (pair) =>
    [pair.ours, pair.anchor].map((of) => `${rounded(of.perSecond)}/s ${rounded(of.cpuMicros)} µs`).join(' against '),
  );
  return {
    pairs,
    rates: {
      ours: median(pairs.map((pair) => pair.ours.perSecond)),
      anchor: median(pairs.map((pair) => pair.anchor.perSecond)),
      ratio: median(pairs.map((pair) => pair.ours.perSecond / pair.anchor.perSecond)),
      samples: pairs.map((pair) => ({ ours: rounded(pair.ours.perSecond), anchor: rounded(pair.anchor.perSecond) })),
    },
    cpu: {
      'CPU µs': median(pairs.map((pair) => pair.ours.cpuMicros)),
      'anchor CPU µs': median(pairs.map((pair) => pair.anchor.cpuMicros)),
    },
  };
};
