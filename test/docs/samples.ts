import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TIMEOUT_MS = 120_000;

export type Language = 'sh' | 'js' | 'python';

export interface Sample {
  language: Language;
  /** Under which name the reader is told to save it; null for what is run where it stands. */
  file: string | null;
  code: string;
}

/** The code blocks of a Markdown file in their order, or of the sections with these titles. */
export const readSamples = async (path: string, sections?: readonly string[]): Promise<Sample[]> => {
  const text = await readFile(join(ROOT, path), 'utf8');
  const chosen = text.split(/^## /m).filter((section) => sections?.includes(section.split('\n')[0] ?? '') ?? true);
  return [...chosen.join('\n').matchAll(/^( *)```(sh|js|python)(?: ([\w.]+))?\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language, file, code = '']) => ({
      language: language as Language,
      file: file ?? null,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
};

const FILES = { sh: 'sample.sh', js: 'sample.mjs', python: 'sample.py' } as const;
const PROGRAMS = { sh: 'bash', js: 'node', python: 'python3' } as const;
/** Stops at errors and unset variables, and says which command failed. */
const STRICT = `set -euo pipefail; trap 'echo "failed: $BASH_COMMAND" >&2' ERR\n`;

/** Where a sample runs, and which variables it finds besides PATH and HOME. */
export interface Place {
  /** For the file of the sample. */
  folder: string;
  env?: Record<string, string>;
  /** Default: the folder of the project. */
  cwd?: string;
}

/** Starts a sample as its reader would, in a process group of its own: with bash, Node or Python. */
export const startSample = async ({ language, code }: Pick<Sample, 'language' | 'code'>, place: Place): Promise<ChildProcess> => {
  const path = join(place.folder, FILES[language]);
  await writeFile(path, language === 'sh' ? STRICT + code : code);
  const { PATH, HOME } = process.env;
  return spawn(PROGRAMS[language], [path], { cwd: place.cwd ?? ROOT, env: { PATH, HOME, ...place.env }, detached: true });
};

/** Also what the sample left in the background. */
export const killSample = ({ pid }: ChildProcess): void => {
  try {
    process.kill(-Number(pid), 'SIGKILL');
  } catch {
    // The group has ended.
  }
};

/** Runs a sample to its end and returns what it printed; throws when it fails. */
export const runSample = async (sample: Pick<Sample, 'language' | 'code'>, place: Place): Promise<string> => {
  const child = await startSample(sample, place);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (chunk) => (printed[name] += String(chunk)));
  const closed = once(child, 'close');
  const timer = setTimeout(() => killSample(child), TIMEOUT_MS);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  killSample(child);
  await closed;
  if (code !== 0) throw new Error(`The ${sample.language} sample exited with ${code}:\n${printed.stdout}\n${printed.stderr}`);
  return printed.stdout;
};

/**
 * All blocks of a page from top to bottom in one shell: programs are files that it runs, so they find what was exported. One with a
 * name is saved in `cwd`, for the block that runs it.
 */
export const runPage = async (samples: readonly Sample[], place: Place & { cwd: string }): Promise<string> => {
  const steps: string[] = [];
  for (const [at, { language, file, code }] of samples.entries()) {
    const path = file === null ? join(place.folder, `${at}-${FILES[language]}`) : join(place.cwd, file);
    if (language !== 'sh') await writeFile(path, code);
    if (language === 'sh') steps.push(code);
    else if (file === null) steps.push(`${PROGRAMS[language]} '${path}'`);
  }
  return runSample({ language: 'sh', code: steps.map((step) => `${step}\necho\n`).join('') }, place);
};
