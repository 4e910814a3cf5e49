import type { AssertionResult } from '@jest/test-result';

/** What the runner asks of a worker: one test file. */
export interface FileRequest {
  path: string;
  /** Ends a test or hook that hangs. */
  limitMs: number;
  /** Only tests whose full name matches are run. */
  namePattern: string | null;
}

/** What a worker answers. */
export interface FileResponse {
  tests: AssertionResult[];
  /** Stacks of errors that belong to no test: the file did not load, or a promise was rejected and not awaited. */
  errors: string[];
  startedAt: number;
  endedAt: number;
  /** Heap of the worker after the file. */
  heapBytes: number;
}
