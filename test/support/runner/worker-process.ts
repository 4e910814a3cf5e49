import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FileRequest, FileResponse } from './messages.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

/** A worker with more objects than this is replaced between two files. */
const HEAP_LIMIT_BYTES = 1_000_000_000;
/** For the exit handlers of a worker. */
const EXIT_LIMIT_MS = 20_000;

/** A process that runs one test file at a time, and a new one after it ended or grew too large. */
export class WorkerProcess {
  readonly #id: number;
  #child: ChildProcess | undefined;

  constructor(id: number) {
    this.#id = id;
  }

  /** Rejects if the process ends before it has answered. */
  async run(request: FileRequest): Promise<FileResponse> {
    this.#child ??= fork(WORKER, { env: { ...process.env, JEST_WORKER_ID: String(this.#id) } });
    const child = this.#child;
    const response = await new Promise<FileResponse>((resolve, reject) => {
      const ended = (code: number | null, signal: string | null): void => {
        this.#child = undefined;
        reject(new Error(`The process of the test file ended (${signal ?? `code ${code}`})`));
      };
      child.once('exit', ended);
      child.once('message', (answer) => {
        child.off('exit', ended);
        resolve(answer as FileResponse);
      });
      child.send(request);
    });
    if (response.heapBytes > HEAP_LIMIT_BYTES) await this.close();
    return response;
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
