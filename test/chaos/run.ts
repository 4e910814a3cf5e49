import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { FAULT_POINTS } from '../../src/platform/fault-points.ts';
import { closeTestStack, openTestStack } from '../support/stack/test-stack.ts';
import { crashEverywhere } from './support/crash.ts';
import { Progress } from './support/progress.ts';
import { killAtRandom } from './support/random-kills.ts';
import { seededRandom } from './support/seeded-random.ts';
import { RECOVERY_MS } from './support/settled.ts';

/**
 * The long runs: `npm run chaos -- [--only R1,B1,C3] [--seed 7] [--times 30] [--minutes 30]`. `npm run chaos -- --resume`
 * continues the last one, with its options, after its last finished step.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    times: { type: 'string', default: '30' },
    minutes: { type: 'string', default: '30' },
    resume: { type: 'boolean', default: false },
  },
});

/** Scenarios that repeat a short run. */
const REPEATED: Record<string, string> = {
  A1: 'arrival-order',
  B1: 'generated-input',
  B2: 'malformed-requests',
  R3: 'connections',
  R5: 'temporal-unavailable',
  D2: 'rail',
  D3: 'rail-notifications',
  C3: 'balance-race',
  R7: 'restarts',
  B7: 'secrets',
};
/** Scenarios that compare random sequences with a model, whatever `--times`. */
const MODELS: Record<string, string> = {
  'C4-applications': 'application-model',
  'C4-flags': 'flag-model',
  'C4-runs': 'run-model',
  C6: 'ledger-model',
};
/** Sequences of each model. */
const MODEL_RUNS = 10_000;
/** Runs that share them, each with its own services: the more rows, the slower is a sequence. */
const MODEL_PARTS = 40;
/** Parts that run at the same time. Each uses about one processor. */
const AT_ONCE = Math.min(availableParallelism(), 4);
/** Generated requests to each operation in all repetitions together. */
const GENERATED_CASES = 2_000;
/** R2 runs in parts of this length, each on a new cluster. */
const PART_MINUTES = 5;

const progress = values.resume
  ? Progress.resume()
  : Progress.start({
      scenarios: values.only?.split(',') ?? ['R1', 'R2', ...Object.keys(REPEATED), ...Object.keys(MODELS)],
      seed: Number(values.seed),
      times: Number(values.times),
      minutes: Number(values.minutes),
    });
const { scenarios, seed, times, minutes } = progress.options;
const log = (line: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

/** Every fault point `times` times, in random order. One that a payout reaches repeatedly is armed for a random pass. */
const crashSteps = (): string[] => {
  const random = seededRandom(seed);
  const passes = (point: string): number =>
    point.startsWith('worker:') || point === 'relay:after-start' || point.startsWith('webhook:') ? 3 : 1;
  // Payouts that people pay have a test of their own for theirs.
  const points = FAULT_POINTS.filter((point) => !point.startsWith('bulk:'));
  return points
    .flatMap((point) => Array.from({ length: times }, () => `${point}@${1 + random.integer(passes(point))}`))
    .map((step) => ({ step, order: random.integer(1_000_000) }))
    .sort((a, b) => a.order - b.order)
    .map(({ step }) => step);
};

const crashes = async (): Promise<void> => {
  const steps = crashSteps();
  const remaining = progress.remaining(steps);
  let done = steps.length - remaining.length;
  await crashEverywhere(remaining, 4, (report) => {
    const passed = report.audit.ok && report.recoveryMs <= RECOVERY_MS && report.status === 'completed';
    progress.finish(report.point, passed);
    log(
      `R1 ${++done}/${steps.length} ${report.point}: recovered in ${report.recoveryMs} ms${passed ? '' : ` FAILED ${JSON.stringify(report)}`}`,
    );
  });
};

const randomKills = async (): Promise<void> => {
  const parts = Array.from({ length: Math.ceil(minutes / PART_MINUTES) }, (_, at) => `R2 ${at + 1}`);
  for (const part of progress.remaining(parts)) {
    const at = parts.indexOf(part);
    const partMinutes = Math.min(PART_MINUTES, minutes - at * PART_MINUTES);
    const report = await killAtRandom(seededRandom(seed + at), partMinutes * 60_000, (kills) => {
      if (kills % 10 === 0) log(`${part}/${parts.length}: ${kills} kills`);
    });
    progress.finish(part, report.audit.ok);
    log(`${part}/${parts.length}: ${report.audit.ok ? 'passed' : 'FAILED'} ${JSON.stringify(report)}`);
  }
};

/** A Jest run with its own services. */
const runFile = async (file: string, env: Record<string, string>): Promise<{ ok: boolean; output: string }> => {
  const child = spawn('npm', ['run', 'test:system', '--', `/(chaos|core)/${file}(\\.invariant)?\\.test`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const output: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const [code] = await once(child, 'close');
  return { ok: code === 0, output: output.join('') };
};

interface Repetition {
  name: string;
  file: string;
  count: number;
  atOnce?: number;
  env?: Record<string, string>;
}

const repeat = async ({ name, file, count, atOnce = 1, env = {} }: Repetition): Promise<void> => {
  const steps = Array.from({ length: count }, (_, at) => `${name} ${at + 1}`);
  const run = async (step: string): Promise<void> => {
    // Scenarios without a seed ignore it.
    const { ok, output } = await runFile(file, { TEST_SEED: String(seed + steps.indexOf(step)), ...env });
    progress.finish(step, ok);
    log(`${step}/${count}: ${ok ? 'passed' : `FAILED\n${output}`}`);
  };
  await pMap(progress.remaining(steps), run, { concurrency: atOnce });
};

log(`Seed ${seed}; repeat this run with --seed ${seed}, continue it with --resume`);
try {
  if (scenarios.includes('R1') || scenarios.includes('R2')) {
    await openTestStack();
    if (scenarios.includes('R1')) await crashes();
    if (scenarios.includes('R2')) await randomKills();
  }
} finally {
  await closeTestStack();
}
const TEST_CASES = String(Math.ceil(GENERATED_CASES / times));
for (const [name, file] of Object.entries(REPEATED))
  if (scenarios.includes(name)) await repeat({ name, file, count: times, env: { TEST_CASES } });
const TEST_MODEL_RUNS = String(MODEL_RUNS / MODEL_PARTS);
for (const [name, file] of Object.entries(MODELS))
  if (scenarios.includes(name)) await repeat({ name, file, count: MODEL_PARTS, atOnce: AT_ONCE, env: { TEST_MODEL_RUNS } });
log(progress.failed === 0 ? 'All runs passed' : `${progress.failed} runs failed`);
process.exit(progress.failed === 0 ? 0 : 1);
