import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export type Language = 'sh' | 'js' | 'python';

export interface Sample {
  language: Language;
  /** The word after the language: `server` or `admin`. */
  kind: string | null;
  code: string;
}

/** The code blocks of a Markdown file in their order, or of the sections with these titles. */
export const readSamples = async (path: string, sections?: readonly string[]): Promise<Sample[]> => {
  const text = await readFile(join(ROOT, path), 'utf8');
  const chosen = text.split(/^## /m).filter((section) => sections?.includes(section.split('\n')[0] ?? '') ?? true);
  return [...chosen.join('\n').matchAll(/^( *)```(sh|js|python)(?: (\w+))?\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language, kind, code = '']) => ({
      language: language as Language,
      kind: kind ?? null,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
};

const FILES = { sh: 'sample.sh', js: 'sample.mjs', python: 'sample.py' } as const;
const PROGRAMS = { sh: 'bash', js: process.execPath, python: 'python3' } as const;

/** Starts a sample as its reader would: bash with errors on, Node or Python, with settings in the environment. */
export const startSample = async (
  folder: string,
  { language, code }: Pick<Sample, 'language' | 'code'>,
  env: Record<string, string>,
): Promise<ChildProcess> => {
  const path = join(folder, FILES[language]);
  await writeFile(path, language === 'sh' ? `set -euo pipefail\n${code}` : code);
  return spawn(PROGRAMS[language], [path], { cwd: ROOT, env: { ...process.env, ...env } });
};

/** Runs a sample to its end and returns what it printed; throws when it fails. */
export const runSample = async (
  folder: string,
  sample: Pick<Sample, 'language' | 'code'>,
  env: Record<string, string>,
): Promise<string> => {
  const child = await startSample(folder, sample, env);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (chunk) => (printed[name] += String(chunk)));
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  if (code !== 0) throw new Error(`The ${sample.language} sample exited with ${code}:\n${printed.stdout}\n${printed.stderr}`);
  return printed.stdout;
};

/** All shell blocks of a page as one session: later ones use the variables of earlier ones. */
export const shellSession = (samples: readonly Sample[]): Pick<Sample, 'language' | 'code'> => ({
  language: 'sh',
  code: samples
    .filter(({ language, kind }) => language === 'sh' && kind === null)
    .map(({ code }) => `${code}\necho`)
    .join('\n'),
});
