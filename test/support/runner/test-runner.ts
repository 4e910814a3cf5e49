import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { makeCollectedTestResult, type Test, type TestResult } from '@jest/test-result';
import type { Config } from '@jest/types';
import { formatExecError, formatResultsErrors } from 'jest-message-util';
import type { FileResponse } from './file-request.ts';
import { WorkerProcess } from './worker-process.ts';

/** More files that fail are no accident: none is repeated. */
const MOST_REPEATED = 3;
/** What they find is evidence of a race or a lost cent: a second run that passes takes nothing back. */
const INVARIANT = /\.invariant\./;

interface Watcher {
  isInterrupted(): boolean;
}
type OnStart = (test: Test) => Promise<void>;
type OnResult = (test: Test, result: TestResult) => Promise<void>;
type OnFailure = (test: Test, error: { message: string; stack?: string | undefined }) => Promise<void>;

/** The tests of a file, or why there are none. */
type Outcome = { result: TestResult } | { error: { message: string; stack?: string | undefined } };

/**
 * Runs test files in plain Node processes (docs/decisions/0077-runner-of-our-own.md), in an order that the seed decides. With
 * `TEST_REPEAT=1`, up to three files that failed run once more after all others, each alone in a new process.
 */
export class TestRunner {
  readonly #config: Config.GlobalConfig;

  constructor(config: Config.GlobalConfig) {
    this.#config = config;
  }

  async runTests(
    tests: readonly Test[],
    watcher: Watcher,
    onStart: OnStart,
    onResult: OnResult,
    onFailure: OnFailure,
  ): Promise<void> {
    const { maxWorkers, rootDir, seed } = this.#config;
    log(`${tests.length} files, in the order of --seed=${seed}`);
    const report = (test: Test, outcome: Outcome): Promise<void> =>
      'error' in outcome ? onFailure(test, outcome.error) : onResult(test, outcome.result);
    const waiting = inOrderOf(seed, tests, rootDir);
    const held: [Test, Outcome][] = [];
    const work = async (worker: WorkerProcess): Promise<void> => {
      for (let test = waiting.shift(); test && !watcher.isInterrupted(); test = waiting.shift()) {
        await onStart(test);
        const outcome = await this.#run(worker, test);
        // Work that hangs in a failed file would continue in the process of the next one.
        if (!hasPassed(outcome)) await worker.close();
        if (hasPassed(outcome) || !mayRepeat(test)) await report(test, outcome);
        else {
          log(`${this.#nameOf(test)} failed. First run:\n${messageOf(outcome)}`);
          held.push([test, outcome]);
        }
      }
      await worker.close();
    };
    const workers = Array.from({ length: Math.min(maxWorkers, tests.length) }, (_, index) => new WorkerProcess(index + 1));
    await Promise.all(workers.map(work));
    const late = workers.flatMap(({ lateFailures }) => lateFailures);
    const isRepeated = held.length <= MOST_REPEATED;
    for (const [test, outcome] of held) await report(test, isRepeated ? await this.#repeat(test, outcome) : outcome);
    if (late.length > 0) throw new Error(late.join('\n'));
  }

  #nameOf({ path }: Test): string {
    return relative(this.#config.rootDir, path);
  }

  /** The outcome of a second run if that passes, otherwise of the first. */
  async #repeat(test: Test, first: Outcome): Promise<Outcome> {
    const path = this.#nameOf(test);
    log(`${path} runs once more, alone`);
    const worker = new WorkerProcess(1);
    const second = await this.#run(worker, test);
    await worker.close();
    if (!hasPassed(second) || worker.lateFailures.length > 0) {
      log(`${path} failed again. Second run:\n${messageOf(second)}`);
      return first;
    }
    log(`${path} passed in its second run, with ${second.result.numPassingTests} tests.`);
    process.stderr.write(`flaky: ${path} (seed ${this.#config.seed}): ${reasonOf(first)}\n`);
    return second;
  }

  async #run(worker: WorkerProcess, { path, context: { config } }: Test): Promise<Outcome> {
    const namePattern = this.#config.testNamePattern ?? null;
    try {
      const response = await worker.run({ path, limitMs: config.testTimeout, namePattern });
      if (response.tests.length > 0) return { result: this.#toTestResult(path, config, response) };
      return { error: { message: '', stack: response.errors.join('\n') || 'The file has no tests' } };
    } catch (error) {
      return { error: error as Error };
    }
  }

  #toTestResult(path: string, config: Config.ProjectConfig, { tests, errors, startedAt, endedAt }: FileResponse): TestResult {
    const result = makeCollectedTestResult(tests, { testFilePath: path, displayName: config.displayName });
    const failures = [
      formatResultsErrors(tests, config, this.#config, path),
      ...errors.map((stack) => formatExecError(stack, config, this.#config, path)),
    ].filter((failure) => failure !== null);
    return {
      ...result,
      perfStats: { ...result.perfStats, start: startedAt, end: endedAt, runtime: endedAt - startedAt },
      failureMessage: failures.length > 0 ? failures.join('\n') : null,
      ...(errors.length > 0 ? { testExecError: { message: '', stack: errors.join('\n') } } : {}),
    };
  }
}

const log = (line: string): void => void process.stderr.write(`[tests] ${line}\n`);

const messageOf = (outcome: Outcome): string =>
  ('error' in outcome ? (outcome.error.stack ?? outcome.error.message) : outcome.result.failureMessage) ?? '';

/** The first failed test with the beginning of its error, on one line. */
const reasonOf = (outcome: Outcome): string =>
  stripVTControlCharacters(messageOf(outcome))
    .split('\n')
    .flatMap((line) => line.trim() || [])
    .slice(0, 6)
    .join(' ')
    .slice(0, 400);

const mayRepeat = ({ path }: Test): boolean => process.env['TEST_REPEAT'] === '1' && !INVARIANT.test(path);

const hasPassed = (outcome: Outcome): outcome is { result: TestResult } => messageOf(outcome) === '';

/** The same for the same files in any folder. */
const inOrderOf = (seed: number, tests: readonly Test[], rootDir: string): Test[] => {
  const rankOf = ({ path }: Test): string =>
    createHash('sha256')
      .update(`${seed} ${relative(rootDir, path)}`)
      .digest('hex');
  return tests
    .map((test) => ({ test, rank: rankOf(test) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ test }) => test);
};
