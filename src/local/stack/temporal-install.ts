import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describeError } from './local-stack-error.ts';
import { tryLock } from './lock.ts';
import type { ServiceOptions } from './open-service.ts';
import { type Environment, findProgram, runProgram, withDeathSignal } from './programs.ts';

/** Whether the program at this path is a complete Temporal CLI that runs on this machine. */
export async function isWorkingTemporal(path: string, env: Environment): Promise<boolean> {
  const { ok, output } = await runProgram(path, ['--version'], { env, timeoutMs: 20_000 });
  return ok && /^temporal version .*Server \d/m.test(output);
}

interface TemporalSource extends Pick<ServiceOptions, 'env' | 'log' | 'signal'> {
  /** The full path of the program; it appears there complete or not at all. */
  target: string;
  version: string;
  /** Between two lines of progress of a build. */
  progressIntervalMs?: number;
}

const SCRIPT = fileURLToPath(new URL('./temporal-download-child.ts', import.meta.url));

/** Downloads with the SDK in a separate process, because the SDK offers no timeout or cancellation. Returns an error message, or null. */
export async function downloadTemporal({ target, version, env, log, signal }: TemporalSource): Promise<string | null> {
  log(`Temporal ${version} not found: downloading it (20 s at most)`);
  try {
    await mkdir(dirname(target), { recursive: true });
    const folder = await mkdtemp(join(dirname(target), 'download-'));
    try {
      const args = ['--disable-warning=ExperimentalWarning', SCRIPT, folder, `v${version}`];
      const { ok, output } = await runProgram(process.execPath, args, { env, timeoutMs: 20_000, signal });
      if (!ok) return `Downloading Temporal failed: ${output.split('\n').at(-1)?.slice(0, 200)}`;
      await rename(join(folder, `temporal-v${version}`), target);
      return null;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (error) {
    return `Downloading Temporal failed: ${describeError(error)}`;
  }
}

const MODULE = fileURLToPath(new URL('./temporal-cli', import.meta.url));
const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const BUILD_LIMIT_MS = 30 * 60_000;
const PROGRESS_INTERVAL_MS = 15_000;
/** `go list -deps` of version 1.8.2. */
const PACKAGES = 1_700;

/** Builds the Temporal CLI with Go; concurrent launchers build it once. Returns an error message, or null. */
export async function buildTemporal(source: TemporalSource): Promise<string | null> {
  const go = await findProgram(['go'], source.env);
  if (go === null) return 'Cannot build Temporal: no Go toolchain ("go") found on the PATH';
  try {
    await mkdir(dirname(source.target), { recursive: true });
    return await underBuildLock(source, () => build(go, source));
  } catch (error) {
    source.signal?.throwIfAborted();
    return `Building Temporal failed: ${describeError(error)}`;
  }
}

async function underBuildLock(source: TemporalSource, run: () => Promise<string | null>): Promise<string | null> {
  for (let loggedAt = 0; ; await sleep(500)) {
    source.signal?.throwIfAborted();
    const attempt = await tryLock(`${source.target}.lock`);
    if ('lock' in attempt) {
      try {
        // The process that held the lock may have built it.
        return (await isWorkingTemporal(source.target, source.env)) ? null : await run();
      } finally {
        attempt.lock.release();
      }
    }
    if (Date.now() - loggedAt > PROGRESS_INTERVAL_MS) {
      source.log(`Temporal is being built by another start (process ${attempt.heldBy}): waiting`);
      loggedAt = Date.now();
    }
  }
}

async function build(go: string, source: TemporalSource): Promise<string | null> {
  const { target, version, env, log, signal } = source;
  const incomplete = `${target}.building-${process.pid}`;
  await removeIncomplete(target);
  log(`Building Temporal ${version} with Go: 5 to 10 minutes on two cores, once only; saved as ${target}`);
  const started = Date.now();
  let packages = 0;
  const ticker = setInterval(() => {
    const step = packages === 0 ? 'downloading its sources' : `${packages} of about ${PACKAGES} packages compiled`;
    log(`Building Temporal: ${step}, ${toMinutes(Date.now() - started)} so far`);
  }, source.progressIntervalMs ?? PROGRESS_INTERVAL_MS);
  try {
    const build = ['build', '-v', '-ldflags', '-s -w', '-o', incomplete, PACKAGE];
    const [command, args] = await withDeathSignal(go, build, 'SIGKILL', env);
    const { ok, output } = await runProgram(command, args, {
      cwd: MODULE,
      env: { ...env, CGO_ENABLED: '0' },
      timeoutMs: BUILD_LIMIT_MS,
      signal,
      onLine: (line) => {
        if (!line.startsWith('go: ')) packages += 1;
      },
    });
    if (!ok) return `Building Temporal failed:\n${output.split('\n').slice(-5).join('\n')}`;
    await rename(incomplete, target);
    log(`Temporal ${version} is built (${toMinutes(Date.now() - started)})`);
    return null;
  } finally {
    clearInterval(ticker);
    await rm(incomplete, { force: true });
  }
}

/** Removes the output of killed builds; the caller holds the lock, so none is running. */
async function removeIncomplete(target: string): Promise<void> {
  const folder = dirname(target);
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${basename(target)}.building-`));
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
}

function toMinutes(ms: number): string {
  return `${Math.floor(ms / 60_000)} min ${Math.floor(ms / 1_000) % 60} s`;
}
