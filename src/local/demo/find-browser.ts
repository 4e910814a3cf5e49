import { access } from 'node:fs/promises';
import { LocalStackError } from '../stack/local-stack-error.ts';
import { findProgram, runProgram } from '../stack/programs.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'] as const;

/** Finds Chromium or Chrome for screenshots; as root on Debian and Ubuntu, installs Chromium if missing. */
export async function findBrowser(
  env: Readonly<Record<string, string | undefined>>,
  log: (line: string) => void,
): Promise<string> {
  const found = await findProgram(NAMES, env);
  if (found !== null) return found;
  const aptGet = await findProgram(['apt-get'], env);
  const isDebian = await access('/etc/debian_version').then(
    () => true,
    () => false,
  );
  if (aptGet !== null && isDebian && process.getuid?.() === 0) {
    log('Chromium not found: installing it with "apt-get install chromium" (about a minute, once only)');
    const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, timeoutMs: 400_000 };
    await runProgram(aptGet, ['-o', 'DPkg::Lock::Timeout=120', 'update'], options);
    await runProgram(aptGet, ['-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '--no-install-recommends', 'chromium'], options);
    const installed = await findProgram(NAMES, env);
    if (installed !== null) return installed;
  }
  throw new LocalStackError('No browser found. Install Chromium: sudo apt-get install chromium');
}
