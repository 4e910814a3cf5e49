import { access } from 'node:fs/promises';
import { LocalStackError } from './local-stack-error.ts';
import type { ServiceOptions } from './open-service.ts';
import { findProgram, runProgram } from './programs.ts';

const NAMES = ['redis-server', 'valkey-server'] as const;

export const REDIS_MISSING = [
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
