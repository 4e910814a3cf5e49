import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProgram, runProgram } from '../../src/local/stack/programs.ts';

const BUILD_LIMIT_MS = 15 * 60_000;

interface GoProgram {
  name: string;
  version: string;
  /** The path of its package in the Go module. */
  source: string;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** On the path, else in the cache, else built by Go into the cache. */
export const findGoProgram = async ({ name, version, source }: GoProgram): Promise<string> => {
  const found = await findProgram([name], process.env);
  if (found !== null) return found;
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tributary', `${name}-${version}`);
  const path = join(folder, name);
  if (await isThere(path)) return path;
  await mkdir(folder, { recursive: true });
  // Renamed at the end: an interrupted build leaves nothing that could be started.
  const building = await mkdtemp(join(folder, 'build-'));
  const env = { ...process.env, GOBIN: building, CGO_ENABLED: '0' };
  // Tests with time limits run beside it.
  const args = ['-n', '10', 'go', 'install', '-ldflags=-s -w', `${source}@v${version}`];
  const built = await runProgram('nice', args, { env, timeoutMs: BUILD_LIMIT_MS });
  if (!built.ok) throw new Error(`${name} ${version} is needed: install it on the PATH, or Go to build it.\n${built.output}`);
  await rename(join(building, name), path);
  await rm(building, { recursive: true, force: true });
  return path;
};
