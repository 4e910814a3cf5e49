import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { FAULT_POINTS } from '../../src/platform/fault-points.ts';
import { closeTestStack, openTestStack } from '../support/stack/test-stack.ts';
import { crashEverywhere } from './support/crash.ts';
import { Progress } from './support/progress.ts';
import { killAtRandom } from './support/random-kills.ts';
import { seededRandom } from './support/seeded-random.ts';
import { RECOVERY_MS } from './support/settled.ts';

/**
 * The long runs: `npm run chaos -- [--only R1,R2,C3] [--seed 7] [--times 30] [--minutes 30]`. `npm run chaos -- --resume`
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
  R3: 'connections',
  R5: 'temporal-unavailable',
  D2: 'rail',
  D3: 'rail-notifications',
  C3: 'balance-race',
  'C4-applications': 'application-model',
  'C4-flags': 'flag-model',
  C6: 'ledger-model',
  R7: 'restarts',
  B7: 'secrets',
};
/** Sequences of each model in all repetitions together. */
const MODEL_RUNS = 10_000;
/** R2 runs in parts of this length, each on a new cluster. */
const PART_MINUTES = 5;

const progress = values.resume
  ? Progress.resume()
  : Progress.start({
      scenarios: values.only?.split(',') ?? ['R1', 'R2', ...Object.keys(REPEATED)],
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
  return FAULT_POINTS.flatMap((point) => Array.from({ length: times }, () => `${point}@${1 + random.integer(passes(point))}`))
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

/** Each repetition is a Jest run with its own services. */
const repeat = async (name: string, file: string): Promise<void> => {
  const steps = Array.from({ length: times }, (_, at) => `${name} ${at + 1}`);
  for (const step of progress.remaining(steps)) {
    const child = spawn('npm', ['test', '--', '--selectProjects', 'chaos', '--', `test/chaos/${file}.test.ts`], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, TEST_MODEL_RUNS: String(Math.ceil(MODEL_RUNS / times)) },
    });
    const output: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    const [code] = await once(child, 'close');
    progress.finish(step, code === 0);
    log(`${step}/${times}: ${code === 0 ? 'passed' : `FAILED\n${output.join('')}`}`);
  }
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
for (const [name, file] of Object.entries(REPEATED)) if (scenarios.includes(name)) await repeat(name, file);
log(progress.failed === 0 ? 'All runs passed' : `${progress.failed} runs failed`);
process.exit(progress.failed === 0 ? 0 : 1);
