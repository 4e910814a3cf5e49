import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { jestExpect } from '@jest/expect';
import type { AssertionResult, Status } from '@jest/test-result';
import * as circus from 'jest-circus';
import type { FileRequest, FileResponse } from './file-request.ts';

/** Runs test files in this process, one after the other; loaded modules stay. */

const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
Object.assign(globalThis, { expect: jestExpect, describe, it, test, beforeAll, beforeEach, afterAll, afterEach });

circus.addEventHandler((event) => {
  if (event.name === 'test_start') jestExpect.setState({ currentTestName: event.test.name });
  // What hooks assert does not count as an assertion of the test.
  if (event.name === 'test_fn_start') jestExpect.setState({ assertionCalls: 0 });
  if (event.name !== 'test_done' || event.test.mode === 'skip') return;
  const { assertionCalls, suppressedErrors } = jestExpect.getState();
  event.test.errors.push(...suppressedErrors);
  jestExpect.setState({ suppressedErrors: [] });
  if (assertionCalls === 0 && event.test.errors.length === 0) event.test.errors.push(new Error('The test asserts nothing'));
});

let isRunning = false;

/** An error that belongs to no test fails the file that runs. Between two files it ends the process, which fails the run. */
const addError = (error: unknown): void => {
  if (isRunning) return void circus.getState().unhandledErrors.push(error as Error);
  process.stderr.write(`[tests] An error after the end of a test file: ${inspect(error)}\n`);
  process.exit(1);
};
process.on('uncaughtException', addError);
process.on('unhandledRejection', addError);

const STATUS: Readonly<Record<string, Status>> = { skip: 'pending', todo: 'todo' };

type CircusResult = Awaited<ReturnType<typeof circus.run>>['testResults'][number];

const toAssertionResult = ({ testPath, errors, status, duration }: CircusResult): AssertionResult => {
  // The first one names the root of the file.
  const names = testPath.slice(1).map(String);
  return {
    ancestorTitles: names.slice(0, -1),
    title: names.at(-1) ?? '',
    fullName: names.join(' '),
    duration: duration ?? null,
    failureDetails: [],
    failureMessages: [...errors],
    numPassingAsserts: 0,
    status: STATUS[status ?? ''] ?? (errors.length > 0 ? 'failed' : 'passed'),
  };
};

/** Rejects when the module hangs at its top level. */
const load = async (path: string, limitMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Exceeded timeout of ${limitMs} ms for loading the file`)), limitMs);
  });
  await Promise.race([import(pathToFileURL(path).href), late]).finally(() => clearTimeout(timer));
};

const runFile = async ({ path, limitMs, namePattern }: FileRequest): Promise<FileResponse> => {
  circus.resetState();
  Object.assign(circus.getState(), {
    testTimeout: limitMs,
    testNamePattern: namePattern === null ? null : new RegExp(namePattern, 'i'),
  });
  jestExpect.setState({ testPath: path });
  const startedAt = Date.now();
  isRunning = true;
  try {
    await load(path, limitMs);
  } catch (error) {
    circus.resetState();
    addError(error);
  }
  const { testResults, unhandledErrors } = await circus.run();
  // Promises that the last test left behind are rejected by now.
  await new Promise(setImmediate);
  const errors = [
    ...unhandledErrors,
    ...circus
      .getState()
      .unhandledErrors.slice(unhandledErrors.length)
      .map((error) => inspect(error)),
  ];
  isRunning = false;
  circus.resetState();
  return {
    tests: testResults.map(toAssertionResult),
    errors,
    startedAt,
    endedAt: Date.now(),
    heapBytes: process.memoryUsage().heapUsed,
  };
};

process.on('message', (request: FileRequest) => {
  runFile(request).then(
    (response) => process.send?.(response),
    (error) => {
      isRunning = false;
      addError(error);
    },
  );
});
// Exit handlers end the processes that tests started, also when a test left a handle open.
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
