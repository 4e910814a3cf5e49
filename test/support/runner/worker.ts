import { pathToFileURL } from 'node:url';
import { jestExpect } from '@jest/expect';
import type { AssertionResult, Status } from '@jest/test-result';
import * as circus from 'jest-circus';
import type { FileRequest, FileResponse } from './messages.ts';

/** Runs test files in this process, one after the other; loaded modules stay. */

const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
Object.assign(globalThis, { expect: jestExpect, describe, it, test, beforeAll, beforeEach, afterAll, afterEach });

circus.addEventHandler((event) => {
  if (event.name === 'test_start') jestExpect.setState({ currentTestName: event.test.name, assertionCalls: 0 });
  if (event.name !== 'test_done' || event.test.mode === 'skip') return;
  const { assertionCalls, suppressedErrors } = jestExpect.getState();
  event.test.errors.push(...suppressedErrors);
  jestExpect.setState({ suppressedErrors: [] });
  if (assertionCalls === 0 && event.test.errors.length === 0) event.test.errors.push(new Error('The test asserts nothing'));
});

// Such an error fails the file that runs, or the next one: which test it belongs to is not known.
const addError = (error: unknown): void => void circus.getState().unhandledErrors.push(error as Error);
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

const runFile = async ({ path, limitMs, namePattern }: FileRequest): Promise<FileResponse> => {
  const late = circus.getState().unhandledErrors;
  circus.resetState();
  Object.assign(circus.getState(), {
    testTimeout: limitMs,
    testNamePattern: namePattern === null ? null : new RegExp(namePattern, 'i'),
    unhandledErrors: [...late],
  });
  jestExpect.setState({ testPath: path });
  const startedAt = Date.now();
  try {
    await import(pathToFileURL(path).href);
  } catch (error) {
    circus.resetState();
    addError(error);
  }
  const { testResults, unhandledErrors } = await circus.run();
  circus.resetState();
  return {
    tests: testResults.map(toAssertionResult),
    errors: unhandledErrors,
    startedAt,
    endedAt: Date.now(),
    heapBytes: process.memoryUsage().heapUsed,
  };
};

process.on('message', async (request: FileRequest) => {
  const response = await runFile(request);
  process.send?.(response);
});
// Exit handlers end the processes that tests started, also when a test left a handle open.
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
