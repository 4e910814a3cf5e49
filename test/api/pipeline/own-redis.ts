import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { findFreePort } from '../../../src/local/stack/index.ts';
import { getRedisProgram } from '../../../src/local/stack/redis.ts';
import type { Logger } from '../../../src/platform/logger.ts';

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface OwnRedis {
  url: string;
  /** A client of the test's own. */
  ask: Redis;
  kill(): Promise<void>;
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** A Redis that a test may kill. */
export const startOwnRedis = async (): Promise<OwnRedis> => {
  const program = await getRedisProgram({ env: process.env, log: () => {} });
  const port = await findFreePort(0);
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;
  const ask = new Redis(url, { lazyConnect: true, retryStrategy: () => 20, maxRetriesPerRequest: null });
  ask.on('error', () => {});
  const start = async (): Promise<void> => {
    server = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: 'ignore',
    });
    children.add(server);
    await ask.ping();
  };
  const kill = async (): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
    children.delete(server);
  };
  await start();
  return {
    url,
    ask,
    start,
    kill,
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async close() {
      ask.disconnect();
      await kill();
    },
  };
};

export interface LimiterSettings {
  redisUrl: string;
  bucket: string;
  limit: number;
  windowMs: number;
  instances: number;
}

/** A moment that lies between two readings of the clock. */
export type Moment = readonly [before: number, after: number];

export interface LimiterProcess {
  decide(count: number, atOnce: number): Promise<{ admitted: Moment[]; alone: number }>;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('limiter-process.ts', import.meta.url));

export const startLimiters = (count: number, settings: LimiterSettings): Promise<LimiterProcess[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
      children.add(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      await lines.next();
      return {
        async decide(decisions: number, atOnce: number) {
          child.stdin.write(JSON.stringify({ count: decisions, atOnce }));
          return JSON.parse(String((await lines.next()).value));
        },
        async stop() {
          child.stdin.end();
          await once(child, 'exit');
          children.delete(child);
        },
      };
    }),
  );

/** The most that was admitted for certain in any window: a moment counts only when both its readings lie inside. */
export const mostInAnyWindow = (moments: readonly Moment[], windowMs: number): number => {
  const byStart = [...moments].sort((a, b) => a[0] - b[0]);
  let most = 0;
  for (const [at, [start]] of byStart.entries()) {
    let inside = 0;
    for (let next = at; next < byStart.length && (byStart[next]?.[0] ?? 0) < start + windowMs; next++) {
      if ((byStart[next]?.[1] ?? 0) < start + windowMs) inside++;
    }
    most = Math.max(most, inside);
  }
  return most;
};

/** A log that keeps its warnings. */
export const keepingLog = (): { log: Logger; lines: string[] } => {
  const lines: string[] = [];
  const log = {
    warn: (_facts: unknown, text: string) => lines.push(text),
    error: (_facts: unknown, text: string) => lines.push(text),
  };
  return { log: log as unknown as Logger, lines };
};
