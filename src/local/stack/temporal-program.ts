import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LocalStackError } from './local-stack-error.ts';
import type { ServiceOptions } from './open-service.ts';
import { type Environment, findProgram } from './programs.ts';
import { buildTemporal, downloadTemporal, isWorkingTemporal } from './temporal-install.ts';

export const TEMPORAL_VERSION = '1.8.2';

export const TEMPORAL_MISSING = [
  'Temporal is required and could not be installed. Do one of these and start again:',
  '  1. Install the Temporal CLI so that "temporal" is on the PATH: https://docs.temporal.io/cli (macOS: brew install temporal)',
  `  2. Install Go 1.21 or newer (https://go.dev/dl) with access to a Go module proxy: Temporal is then built once, in 5 to 10 minutes`,
  '  3. Use an existing Temporal cluster: TEMPORAL_ADDRESS=host:7233 npm start',
].join('\n');

export interface TemporalProgramOptions extends Pick<ServiceOptions, 'env' | 'log' | 'signal'> {}

/** The path of the Temporal CLI: from the PATH, the cache, a download or a build, in this order. */
export async function getTemporalProgram(options: TemporalProgramOptions): Promise<string> {
  const { env, log, signal } = options;
  const onPath = await findProgram(['temporal'], env);
  if (onPath !== null && (await isWorkingTemporal(onPath, env))) return onPath;
  if (onPath !== null) log(`${onPath} --version failed: trying another Temporal`);
  const cached = temporalCachePath(env);
  if (await findCachedTemporal(options)) return cached;
  const problems: string[] = [];
  for (const install of [downloadTemporal, buildTemporal]) {
    signal?.throwIfAborted();
    const problem = await install({ ...options, target: cached, version: TEMPORAL_VERSION });
    if (problem === null && (await isWorkingTemporal(cached, env))) return cached;
    problems.push(problem ?? `${cached} does not run here`);
    log(problems.at(-1) ?? '');
  }
  signal?.throwIfAborted();
  throw new LocalStackError(`${TEMPORAL_MISSING}\nAttempts:\n${problems.join('\n')}`);
}

export function temporalCachePath(env: Environment): string {
  const cacheDir = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(cacheDir, 'tributary', `temporal-${TEMPORAL_VERSION}`, 'temporal');
}

/** True when the cache holds a program that runs; an incomplete one is logged and not used. */
export async function findCachedTemporal({ env, log }: TemporalProgramOptions): Promise<boolean> {
  const path = temporalCachePath(env);
  if (await isWorkingTemporal(path, env)) return true;
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) log(`The cached Temporal (${path}) is damaged or incomplete: it will be replaced`);
  return false;
}
