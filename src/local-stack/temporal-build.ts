import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withDeathSignal } from './death-signal.ts';
import { describeError } from './local-stack-error.ts';
import { tryLock } from './lock.ts';
import { findProgram, runProgram } from './programs.ts';
import type { TemporalSource } from './temporal-download.ts';
import { isWorkingTemporal } from './temporal-version.ts';

const MODULE = fileURLToPath(new URL('./temporal-cli', import.meta.url));
const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const BUILD_LIMIT_MS = 30 * 60_000;
const TELL_EVERY_MS = 15_000;

/** Builds the Temporal CLI with the Go toolchain; two launchers at once build it once. Returns the problem, or null. */
export async function buildTemporal(source: TemporalSource): Promise<string | null> {
  const go = await findProgram(['go'], source.env);
  if (go === null) return 'Building Temporal was not possible: there is no Go toolchain ("go") on the PATH';
  try {
    await mkdir(dirname(source.target), { recursive: true });
    return await underBuildLock(source, () => build(go, source));
  } catch (error) {
    source.signal?.throwIfAborted();
    return `Building Temporal failed: ${describeError(error)}`;
  }
}

async function underBuildLock(source: TemporalSource, run: () => Promise<string | null>): Promise<string | null> {
  for (let told = 0; ; await sleep(500)) {
    source.signal?.throwIfAborted();
    const attempt = await tryLock(`${source.target}.lock`);
    if ('lock' in attempt) {
      try {
        // The one we waited for may have finished it.
        return (await isWorkingTemporal(source.target, source.env)) ? null : await run();
      } finally {
        attempt.lock.release();
      }
    }
    if (Date.now() - told > TELL_EVERY_MS) {
      source.log(`Temporal is being built by another start (process ${attempt.heldBy}): waiting for it`);
      told = Date.now();
    }
  }
}

async function build(go: string, { target, version, env, log, signal }: TemporalSource): Promise<string | null> {
  const unfinished = `${target}.building-${process.pid}`;
  await removeUnfinished(target);
  log(`Building Temporal ${version} with Go: 5 to 10 minutes on two cores, only this once; kept as ${target}`);
  const started = Date.now();
  let packages = 0;
  const ticker = setInterval(() => {
    log(`  building Temporal: ${packages} packages compiled, ${toMinutes(Date.now() - started)} so far`);
  }, TELL_EVERY_MS);
  try {
    const build = ['build', '-v', '-ldflags', '-s -w', '-o', unfinished, PACKAGE];
    const [command, args] = await withDeathSignal(go, build, 'SIGKILL', env);
    const { ok, output } = await runProgram(command, args, {
      cwd: MODULE,
      env: { ...env, CGO_ENABLED: '0' },
      timeoutMs: BUILD_LIMIT_MS,
      signal,
      onLine: () => {
        packages += 1;
      },
    });
    if (!ok) return `Building Temporal failed:\n${output.split('\n').slice(-5).join('\n')}`;
    await rename(unfinished, target);
    log(`Temporal ${version} is built (${toMinutes(Date.now() - started)})`);
    return null;
  } finally {
    clearInterval(ticker);
    await rm(unfinished, { force: true });
  }
}

/** What builds that were killed left half-done; the lock says that none is running. */
async function removeUnfinished(target: string): Promise<void> {
  const folder = dirname(target);
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${basename(target)}.building-`));
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
}

function toMinutes(ms: number): string {
  return `${Math.floor(ms / 60_000)} min ${Math.floor(ms / 1_000) % 60} s`;
}
