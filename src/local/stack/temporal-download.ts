import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeError } from './local-stack-error.ts';
import type { ServiceOptions } from './open-service.ts';
import { runProgram } from './programs.ts';

export interface TemporalSource extends Pick<ServiceOptions, 'env' | 'log' | 'signal'> {
  /** The full path of the program; it appears there complete or not at all. */
  target: string;
  version: string;
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
