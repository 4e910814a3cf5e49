import { access } from 'node:fs/promises';
import { describeError, LocalStackError } from '../stack/local-stack-error.ts';
import { type Environment, findProgram, runProgram } from '../stack/programs.ts';

interface BrowserKind {
  /** Name of the Debian package. */
  package: string;
  names: readonly string[];
}

/** `full` has the settings of a visitor. `headless` draws no windows of its own: 0.2 s of CPU for each new visitor instead of 1.1 s. */
const KINDS = {
  full: { package: 'chromium', names: ['chromium', 'chromium-browser', 'google-chrome'] },
  headless: { package: 'chromium-headless-shell', names: ['chromium-headless-shell'] },
} as const satisfies Record<string, BrowserKind>;

type Log = (line: string) => void;

type Kind = keyof typeof KINDS;

/** Finds Chromium or Chrome for screenshots and tests; as root on Debian and Ubuntu, installs it if there is none. */
export async function findBrowser(env: Environment, log: Log, kind: Kind = 'headless'): Promise<string> {
  const kinds = kind === 'full' ? [KINDS.full] : [KINDS.headless, KINDS.full];
  for (const { names } of kinds) {
    const found = await findProgram(names, env);
    if (found !== null) return found;
  }
  for (const each of kinds) {
    const installed = await install(each, env, log);
    if (installed !== null) return installed;
  }
  throw new LocalStackError('No browser found. Install Chromium: sudo apt-get install chromium');
}

/** As root on Debian and Ubuntu, installs the headless browser if it is missing, even if there is a full one. */
export async function installHeadlessBrowser(env: Environment, log: Log): Promise<void> {
  if ((await findProgram(KINDS.headless.names, env)) === null) await install(KINDS.headless, env, log);
}

/** Null where it cannot be installed. */
async function install({ package: name, names }: BrowserKind, env: Environment, log: Log): Promise<string | null> {
  if (!(await canInstall(env))) return null;
  log(`Installing a browser with "apt-get install ${name}" (about a minute, once only)`);
  const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, timeoutMs: 400_000 };
  try {
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', name]])
      await runProgram('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], options);
  } catch (error) {
    log(`It could not be installed: ${describeError(error)}`);
  }
  return findProgram(names, env);
}

async function canInstall(env: Environment): Promise<boolean> {
  const isDebian = await access('/etc/debian_version').then(
    () => true,
    () => false,
  );
  return isDebian && process.getuid?.() === 0 && (await findProgram(['apt-get'], env)) !== null;
}
