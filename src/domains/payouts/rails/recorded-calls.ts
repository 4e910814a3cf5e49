import { AsyncLocalStorage } from 'node:async_hooks';

/** A call to a provider as it was sent and answered. Credentials are no part of it: they stand in headers, and in calls that are left out. */
export interface RecordedCall {
  /** ISO time at which it ended. */
  at: string;
  method: string;
  path: string;
  request: string | null;
  status: number | null;
  /** What providers trace a call by. */
  headers: Readonly<Record<string, string>>;
  response: string | null;
  /** Why there is no readable response. */
  problem: string | null;
}

const MAX_CALLS = 8;
const KEPT_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'correlation-id',
  'date',
  'paypal-debug-id',
  'request-id',
  'retry-after',
  'x-request-id',
]);

const recording = new AsyncLocalStorage<RecordedCall[]>();

/** Adds a call to what is recorded of the operation that makes it. Nothing is recorded beyond a bound, or outside `recordCalls`. */
export const recordCall = ({ headers, ...call }: RecordedCall): void => {
  const calls = recording.getStore();
  if (!calls || calls.length >= MAX_CALLS) return;
  calls.push({ ...call, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => KEPT_HEADERS.has(name))) });
};

/** What `work` returns, and the calls that it makes. */
export const recordCalls = async <T>(work: () => Promise<T>): Promise<{ result: T; calls: readonly RecordedCall[] }> => {
  const calls: RecordedCall[] = [];
  return { result: await recording.run(calls, work), calls };
};
