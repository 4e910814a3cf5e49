import { appendFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { options } from './options.ts';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

export interface Bounds {
  floor: number;
  goal: number;
  /** Whether lower ratios are better. */
  lowerIsBetter?: boolean;
}

export interface Figure extends Bounds {
  /** Row in the table of quality goals. */
  name: string;
  what: string;
  unit: string;
  /** Medians of the samples. */
  ours: number;
  anchor: number;
  ratio: number;
  samples: readonly object[];
  /** Further values that help to interpret the figure. */
  more: Readonly<Record<string, number | string>>;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
};

export const rounded = (value: number): number => Number(value.toPrecision(3));

export const log = (line: string): void => void process.stderr.write(`${line}\n`);

const outcomeOf = ({ ratio, floor, goal, lowerIsBetter }: Figure): string => {
  const reaches = (bound: number): boolean => (lowerIsBetter ? ratio <= bound : ratio >= bound);
  if (reaches(goal)) return 'goal met';
  return reaches(floor) ? 'floor met, goal missed' : 'FLOOR MISSED';
};

const environment = [`${cpus().length} cores`, `Node ${process.versions.node}`];

/** Adds a property of the environment to the recorded rows. */
export const addEnvironment = (text: string): void => void environment.push(text);

/** Prints JSON to standard output and a summary to standard error; with --record, appends a row to docs/performance.md. */
export const report = (figure: Figure): void => {
  const { name, ours, anchor, ratio, floor, goal, samples, more } = figure;
  const result = { name, ours: rounded(ours), anchor: rounded(anchor), ratio: rounded(ratio), floor, goal, samples };
  process.stdout.write(`${JSON.stringify({ ...result, unit: figure.unit, outcome: outcomeOf(figure), more })}\n`);
  const extra = Object.entries(more).map(([key, value]) => `${key} ${typeof value === 'number' ? rounded(value) : value}`);
  log(
    `${name} ${figure.what}: ${rounded(ratio)} (${rounded(ours)} against ${rounded(anchor)} ${figure.unit}; floor ${floor}, goal ${goal}): ${outcomeOf(figure)}`,
  );
  log(`   ${extra.join(', ')}`);
  if (outcomeOf(figure) === 'FLOOR MISSED' && !options.quick) process.exitCode = 1;
  if (!options.record) return;
  const cells = [
    name,
    figure.what,
    rounded(ours),
    rounded(anchor),
    figure.unit,
    `**${rounded(ratio)}**`,
    floor,
    goal,
    outcomeOf(figure),
    extra.join(', '),
    environment.join(', '),
  ];
  appendFileSync(PAGE, `| ${cells.join(' | ')} |\n`);
};
