import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { FAULT_POINTS } from '../../src/platform/fault-points.ts';
import { closeTestStack, openTestStack } from '../support/stack/test-stack.ts';
import { crashEverywhere } from './support/crash.ts';
import { killAtRandom } from './support/random-kills.ts';
import { type SeededRandom, seededRandom } from './support/seeded-random.ts';

/**
 * The full runs: `npm run chaos -- [--only R1,R2,C3] [--seed 7] [--times 30] [--minutes 30]`. Scenarios without dice are
 * their short runs, repeated.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    times: { type: 'string', default: '30' },
    minutes: { type: 'string', default: '30' },
  },
});
const REPEATED: Record<string, string> = {
  R3: 'connections',
  R5: 'temporal-away',
  D2: 'rail',
  D3: 'notifications',
  C3: 'balance-race',
  R7: 'restarts',
  B7: 'secrets',
};

const say = (line: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
const wanted = (values.only ?? ['R1', 'R2', ...Object.keys(REPEATED)].join(',')).split(',');
const times = Number(values.times);
let bad = 0;

/** Points that a payout passes more than once die at one of the first passes. */
const armed = (dice: SeededRandom): string[] => {
  const passes = (point: string): number =>
    point.startsWith('worker:') || point === 'relay:after-start' || point.startsWith('webhook:') ? 3 : 1;
  const all = FAULT_POINTS.flatMap((point) => Array.from({ length: times }, () => `${point}@${1 + dice.roll(passes(point))}`));
  return all
    .map((point) => ({ point, at: dice.roll(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ point }) => point);
};

const crashes = async (dice: SeededRandom): Promise<void> => {
  const points = armed(dice);
  let done = 0;
  let slowestMs = 0;
  await crashEverywhere(points, 4, (report) => {
    slowestMs = Math.max(slowestMs, report.recoveryMs);
    const isGood = report.audit.ok && report.recoveryMs <= 60_000 && report.status === 'completed';
    if (!isGood) bad++;
    say(`R1 ${++done}/${points.length} ${report.point}: ${report.recoveryMs} ms${isGood ? '' : ` ${JSON.stringify(report)}`}`);
  });
  say(`R1: ${done} kills, slowest recovery ${slowestMs} ms`);
};

const randomKills = async (dice: SeededRandom): Promise<void> => {
  const report = await killAtRandom(dice, Number(values.minutes) * 60_000, (kills) => {
    if (kills % 10 === 0) say(`R2: ${kills} kills`);
  });
  if (!report.audit.ok) bad++;
  say(`R2: ${JSON.stringify(report)}`);
};

/** A short run of its own process, with a stack of its own. */
const repeat = async (name: string, file: string): Promise<void> => {
  for (let turn = 1; turn <= times; turn++) {
    const child = spawn('npm', ['test', '--', '--selectProjects', 'services', '--', `test/chaos/${file}.test.ts`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const lines: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const [code] = await once(child, 'close');
    if (code !== 0) bad++;
    say(`${name} ${turn}/${times}: ${code === 0 ? 'good' : lines.join('')}`);
  }
};

say(`Seed ${values.seed}: --seed ${values.seed} repeats what was thrown`);
const dice = seededRandom(Number(values.seed));
try {
  if (wanted.includes('R1') || wanted.includes('R2')) {
    await openTestStack();
    if (wanted.includes('R1')) await crashes(dice);
    if (wanted.includes('R2')) await randomKills(dice);
  }
} finally {
  await closeTestStack();
}
for (const [name, file] of Object.entries(REPEATED)) if (wanted.includes(name)) await repeat(name, file);
say(bad === 0 ? 'All good' : `${bad} bad runs`);
process.exit(bad === 0 ? 0 : 1);
