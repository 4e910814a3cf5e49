import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FileRequest, FileResponse } from './file-request.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

/** A worker with more objects than this is replaced between two files. */
const HEAP_LIMIT_BYTES = 1_000_000_000;
/** For the exit handlers of a worker. */
const EXIT_LIMIT_MS = 20_000;

const answerOf = async (child: ChildProcess, request: FileRequest): Promise<FileResponse> => {
  const { promise, resolve, reject } = Promise.withResolvers<FileResponse>();
  const onExit = (code: number | null, signal: NodeJS.Signals | null): void =>
    reject(new Error(`The process of the test file ended (${signal ?? `code ${code}`})`));
  const onMessage = (answer: unknown): void => resolve(answer as FileResponse);
  child.once('exit', onExit).once('message', onMessage);
  child.send(request, (error) => error && reject(error));
  try {
    return await promise;
  } finally {
    child.off('exit', onExit).off('message', onMessage);
  }
};

/** A process that runs one test file at a time, and a new one after it ended or grew too large. */
export class WorkerProcess {
  readonly #id: number;
  #child: ChildProcess | undefined;
  #isRunning = false;
  #lastPath = '';
  /** Processes that failed after they had answered: which file is to blame is likely, and no second run takes it back. */
  readonly lateFailures: string[] = [];

  constructor(id: number) {
    this.#id = id;
  }

  /** Rejects if the process ends before it has answered. */
  async run(request: FileRequest): Promise<FileResponse> {
    this.#child ??= this.#start();
    const child = this.#child;
    this.#lastPath = request.path;
    this.#isRunning = true;
    try {
      const response = await answerOf(child, request);
      this.#isRunning = false;
      if (response.heapBytes > HEAP_LIMIT_BYTES) await this.close();
      return response;
    } finally {
      this.#isRunning = false;
    }
  }

  #start(): ChildProcess {
    const child = fork(WORKER, { env: { ...process.env, JEST_WORKER_ID: String(this.#id) } });
    // A message to a process that has ended causes it, and its exit says so.
    child.on('error', () => {});
    child.once('exit', (code, signal) => {
      if (this.#child === child) this.#child = undefined;
      const isFailure = code !== 0 && signal !== 'SIGKILL';
      if (!this.#isRunning && isFailure)
        this.lateFailures.push(`A worker ended (${signal ?? `code ${code}`}) after ${this.#lastPath}`);
    });
    return child;
  }

  /** Lets the process run its exit handlers. A second call does nothing. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  }
}
