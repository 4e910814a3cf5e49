import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface FloodInput {
  port: number;
  count: number;
  overMs: number;
  /** Bytes of whole requests, sent in rotation. */
  requests: readonly string[];
}

export interface FloodResult {
  /** Responses by status; "none" for a connection that ended without one. */
  statuses: Readonly<Record<string, number>>;
  /** Until the last one was sent. */
}

/** Sends requests at an even rate, each from another address, in a thread of its own. */
export const flood = async (input: FloodInput): Promise<FloodResult> => {
  const worker = new Worker(new URL('./flood.program.ts', import.meta.url), { workerData: input });
  const [result] = (await once(worker, 'message')) as [FloodResult];
  return result;
};
