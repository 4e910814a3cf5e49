import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describeError } from '../../src/local/stack/local-stack-error.ts';
import { findProgram, runProgram } from '../../src/local/stack/programs.ts';

const VENV_LIMIT_MS = 2 * 60_000;
const INSTALL_LIMIT_MS = 5 * 60_000;
/** Wheels of exactly these versions, from the registry that pip is configured for; given up after about a minute without it. */
const PIP_OPTIONS = [
  '--no-input',
  '--disable-pip-version-check',
  '--no-deps',
  '--only-binary=:all:',
  '--timeout=20',
  '--retries=2',
];

interface PythonPackage {
  name: string;
  /** The path of its exact requirements. */
  requirements: string;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The last line says why: pip's output before it is of many packages. */
const missing = (name: string, why: string): Error =>
  new Error(`${name} is needed: install Python 3.11 or newer with venv and access to PyPI. ${why.trim().split('\n').at(-1)}`);

const install = async ({ name, requirements }: PythonPackage, folder: string): Promise<void> => {
  const run = async (command: string, args: readonly string[], timeoutMs: number): Promise<void> => {
    const { ok, output } = await runProgram(command, args, { env: process.env, timeoutMs });
    if (!ok) throw missing(name, output);
  };
  const python = await findProgram(['python3', 'python'], process.env);
  if (python === null) throw missing(name, 'There is no python3 on the PATH');
  await mkdir(join(folder, '..'), { recursive: true });
  const incomplete = await mkdtemp(`${folder}.incomplete-`);
  try {
    await run(python, ['-m', 'venv', incomplete], VENV_LIMIT_MS);
    const args = ['-m', 'pip', 'install', ...PIP_OPTIONS, '--requirement', requirements];
    await run(join(incomplete, 'bin', 'python'), args, INSTALL_LIMIT_MS);
    // Renamed at the end: an interrupted installation leaves nothing that could be started.
    await rename(incomplete, folder).catch(async (error: unknown) => {
      if (!(await isThere(folder))) throw missing(name, describeError(error));
    });
  } finally {
    await rm(incomplete, { recursive: true, force: true });
  }
};

/** The Python that has the package: a virtual environment in the cache, made on first use from its requirements. */
export const findPythonWith = async (needed: PythonPackage): Promise<string> => {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const version = createHash('sha256')
    .update(await readFile(needed.requirements))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cache, 'tributary', `${needed.name}-${version}`);
  const python = join(folder, 'bin', 'python');
  if (!(await isThere(python))) {
    // Without its Python, which may have been upgraded, an environment does not start.
    await rm(folder, { recursive: true, force: true });
    await install(needed, folder);
  }
  return python;
};
