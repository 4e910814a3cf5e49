import { access } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { startChild } from './children.ts';
import { describeError, LocalStackError } from './local-stack-error.ts';
import type { OpenService, ServiceOptions } from './open-service.ts';
import { onFreePort } from './ports.ts';
import { findProgram, runProgram } from './programs.ts';

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
        await child.waitUntilReady(() => ping(url), { ports: [port], timeoutMs: 20_000, signal: options.signal });
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

const NAMES = ['redis-server', 'valkey-server'] as const;

const REDIS_MISSING = [
  'Redis is required: no redis-server or valkey-server found on the PATH. Install one and start again:',
  '  Debian, Ubuntu:  sudo apt-get install redis-server',
  '  Fedora, RHEL:    sudo dnf install valkey',
  '  macOS:           brew install redis',
  '  Docker:          docker run -d -p 6379:6379 redis:7, then REDIS_URL=redis://127.0.0.1:6379 npm start',
].join('\n');

/** The path of the Redis (or Valkey) server; as root on Debian and Ubuntu, installs Redis if missing. */
export async function getRedisProgram(options: Pick<ServiceOptions, 'env' | 'log' | 'signal'>): Promise<string> {
  const found = await findProgram(NAMES, options.env);
  if (found !== null) return found;
  const problem = await install(options);
  const installed = await findProgram(NAMES, options.env);
  if (installed !== null) return installed;
  throw new LocalStackError(problem === null ? REDIS_MISSING : `${REDIS_MISSING}\nInstalling it failed:\n${problem}`);
}

/** Null when installing is not possible here, or succeeded; otherwise the output of apt-get. */
async function install({ env, log, signal }: Pick<ServiceOptions, 'env' | 'log' | 'signal'>): Promise<string | null> {
  const aptGet = await findProgram(['apt-get'], env);
  const isDebian = await access('/etc/debian_version').then(
    () => true,
    () => false,
  );
  if (aptGet === null || !isDebian || process.getuid?.() !== 0) return null;
  log('Redis not found: installing it with "apt-get install redis-server" (about 30 seconds, once only)');
  const run = (args: readonly string[]) =>
    runProgram(aptGet, ['-o', 'DPkg::Lock::Timeout=120', ...args], {
      // Run level 1 keeps the package from starting Redis on port 6379.
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      timeoutMs: 300_000,
      signal,
    });
  const updated = await run(['update']);
  const installed = await run(['install', '-y', '--no-install-recommends', 'redis-server']);
  return installed.ok ? null : `${updated.ok ? '' : updated.output}\n${installed.output}`.trim();
}
