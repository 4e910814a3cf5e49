import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { closeTestStack, openTestStack } from '../support/stack/test-stack.ts';
import { type Copy, copyRepository } from './copy.ts';
import { isNamed, type Plant } from './plant.ts';
import { PLANTS } from './plants/index.ts';
import { type FileResult, runTests } from './run-tests.ts';

/**
 * Whether tests notice what they are for: `npm run mutations [-- <word>…]` plants one violation after the other in a copy of the
 * repository, and runs the test file that must fail. Words choose plants by their name, class or file. Exits with 1 if one survives.
 */

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** Made anew where a violation is in them: the functions of the database, and the bundle of the workflows. */
const envFor = ({ file }: Plant): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(/\.sql$|^migrations\//.test(file) ? { TEST_TEMPLATE_DATABASE: undefined } : {}),
  ...(/^(workflows|src\/contracts)\//.test(file) ? { TEST_WORKFLOW_BUNDLE: undefined } : {}),
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Test files that fail without any violation prove nothing. */
const assertSound = async (copy: Copy, plants: readonly Plant[], signal: AbortSignal): Promise<void> => {
  const files = [...new Set(plants.map(({ test }) => test))];
  say(`Without a violation: ${files.length} test files`);
  const results = await runTests(copy.folder, files, { env: process.env, signal });
  const unsound = files.filter((file) => {
    const result = results.get(file);
    return !result || result.passed === 0 || result.caughtBy.length > 0 || result.broke !== null;
  });
  if (unsound.length === 0) return;
  const reasons = unsound.map((file) => `${file}: ${JSON.stringify(results.get(file) ?? 'was not run')}`);
  throw new Error(`These fail without any violation:\n${reasons.join('\n')}`);
};

const catchPlant = async (copy: Copy, plant: Plant, signal: AbortSignal): Promise<FileResult> => {
  const takeBack = copy.plant(plant);
  try {
    const results = await runTests(copy.folder, [plant.test], { env: envFor(plant), signal });
    return results.get(plant.test) ?? { passed: 0, caughtBy: [], broke: 'the test file was not run' };
  } finally {
    takeBack();
  }
};

const describe = ({ caughtBy, broke }: FileResult): string => {
  const [first, ...others] = caughtBy;
  if (first !== undefined) return `${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
  return broke === null ? '**survived**' : `**failed without an assertion**: ${broke}`;
};

const tableOf = (rows: readonly (readonly [Plant, FileResult])[]): string =>
  [
    '| Breaks | Planted violation | File | Caught by |',
    '|---|---|---|---|',
    ...rows.map(
      ([plant, result]) => `| ${plant.breaks} | ${plant.name} | \`${plant.file}\` | \`${plant.test}\`: ${describe(result)} |`,
    ),
  ].join('\n');

const runAll = async (plants: readonly Plant[], signal: AbortSignal): Promise<boolean> => {
  const copy = copyRepository(REPOSITORY);
  const rows: [Plant, FileResult][] = [];
  try {
    await openTestStack();
    await assertSound(copy, plants, signal);
    for (const [n, plant] of plants.entries()) {
      const result = await catchPlant(copy, plant, signal);
      rows.push([plant, result]);
      say(`${n + 1}/${plants.length} ${result.caughtBy.length > 0 ? 'caught  ' : 'SURVIVED'} ${plant.name}: ${describe(result)}`);
    }
  } finally {
    copy.remove();
    await closeTestStack();
  }
  const survivors = rows.filter(([, { caughtBy }]) => caughtBy.length === 0).length;
  say(`\n${tableOf(rows)}\n\n${rows.length - survivors} of ${rows.length} planted violations are caught.`);
  return survivors === 0;
};

const { positionals: words } = parseArgs({ allowPositionals: true });
const chosen = PLANTS.filter((plant) => isNamed(plant, words));
if (chosen.length === 0) throw new Error(`No planted violation is named ${words.join(' or ')}`);
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('Interrupted')));
process.once('SIGTERM', () => interrupted.abort(new Error('Ended')));
process.exitCode = (await runAll(chosen, interrupted.signal)) ? 0 : 1;
