import { readFile, rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';
import { errorCode, LocalStackError } from '../stack/local-stack-error.ts';

/** Null when there is no such file. An unreadable or invalid file is an error, because its content may be irreplaceable. */
export const readPrivateFile = async <S extends z.ZodType>(path: string, schema: S): Promise<z.output<S> | null> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new LocalStackError(`${path} cannot be read (${errorCode(error) ?? String(error)}).`);
  }
  const parsed = schema.safeParse(parse(text));
  if (!parsed.success) throw new LocalStackError(`${path} is damaged. Restore it, or move it away and start again.`);
  return parsed.data;
};

let written = 0;

/** Readable by this user only, and replaced atomically: a concurrent reader gets the old content or the new one. */
export const writePrivateFile = async (path: string, value: unknown): Promise<void> => {
  written += 1;
  const temporary = `${path}.new-${process.pid}-${written}`;
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, path);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
