import { createRequire } from 'node:module';

/** One load, from a process of its own. */
export interface Load {
  url: string;
  method: 'GET' | 'POST';
  connections: number;
  /** Ends after this many seconds, or after this many requests. */
  seconds?: number;
  amount?: number;
  /** One set for each connection, in turn. */
  headers: readonly Record<string, string>[];
  /** One for each request, in turn, and from the start again; none for a GET. */
  bodies?: readonly string[];
  /** A new `Idempotency-Key` with each request. */
  freshKeys?: boolean;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  failures: number;
  p50: number;
  p99: number;
}

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

interface Client {
  setHeaders(headers: Record<string, string>): void;
}

interface Report {
  start: Date;
  finish: Date;
  '2xx': number;
  non2xx: number;
  errors: number;
  latency: { p50: number; p99: number };
}

/** It brings no types. */
const autocannon = createRequire(import.meta.url)('autocannon') as (options: object) => Promise<Report>;

const requestsOf = (load: Load): object[] => {
  const { pathname, search } = new URL(load.url);
  let serial = 0;
  const run = `${process.pid}-${Date.now()}`;
  const plain = { method: load.method, path: pathname + search };
  if (!load.bodies && !load.freshKeys) return [plain];
  const setupRequest = (request: Request): Request => {
    const n = serial++;
    const body = load.bodies?.[n % load.bodies.length];
    return {
      ...request,
      ...(body === undefined ? {} : { body }),
      ...(load.freshKeys ? { headers: { ...request.headers, 'idempotency-key': `${run}-${n}` } } : {}),
    };
  };
  return [{ ...plain, setupRequest }];
};

const run = async (load: Load): Promise<LoadResult> => {
  let connection = 0;
  const report = await autocannon({
    url: load.url,
    connections: load.connections,
    ...(load.amount === undefined ? { duration: load.seconds } : { amount: load.amount }),
    // Its end is seen at a sample only.
    sampleInt: 100,
    // Each request's head starts from these; a connection's own come on top.
    setupClient: (client: Client) => client.setHeaders(load.headers[connection++ % load.headers.length] ?? {}),
    requests: requestsOf(load),
  });
  return {
    requests: report['2xx'],
    seconds: (report.finish.getTime() - report.start.getTime()) / 1000,
    failures: report.non2xx + report.errors,
    p50: report.latency.p50,
    p99: report.latency.p99,
  };
};

process.on('message', (load) => {
  void run(load as Load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
