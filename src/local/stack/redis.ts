import { Redis } from 'ioredis';
import { startChild } from './children.ts';
import { describeError, LocalStackError } from './local-stack-error.ts';
import type { OpenService, ServiceOptions } from './open-service.ts';
import { assertListening, onFreePort } from './ports.ts';
import { getRedisProgram } from './redis-program.ts';

/** Starts Redis without persistence: it holds rate limit counters and key invalidations, no data of record. */
export async function openRedis(options: ServiceOptions & { port: number }): Promise<OpenService> {
  const program = await getRedisProgram(options);
  return onFreePort(
    options.port,
    async (port) => {
      const child = await startChild({
        name: 'redis',
        command: program,
        args: [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--save',
          '',
          '--appendonly',
          'no',
          '--dir',
          options.directory.path,
        ],
        env: options.env,
        logsDir: options.directory.logsDir,
        pidsDir: options.directory.pidsDir,
        onCrash: options.onCrash,
      });
      const url = `redis://127.0.0.1:${port}`;
      try {
        await child.waitUntilReady(() => assertListening(port).then(() => ping(url)), {
          timeoutMs: 20_000,
          signal: options.signal,
        });
      } catch (error) {
        await child.stop();
        throw error;
      }
      return { url, pid: child.pid, close: () => child.stop() };
    },
    options.exactPorts,
  );
}

/** The existing server at REDIS_URL; only checks that it responds. */
export async function useRedis(redisUrl: string): Promise<OpenService> {
  await ping(redisUrl).catch((error: unknown) => {
    throw new LocalStackError(
      `REDIS_URL is set, but Redis cannot be used there: ${describeError(error)}. Check the address and the password, or unset REDIS_URL to get a local one.`,
    );
  });
  return { url: redisUrl, pid: null, close: async () => {} };
}

async function ping(url: string): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3_000,
    commandTimeout: 3_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  client.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    // The client only reports "Connection is closed"; the socket error has the reason.
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}
