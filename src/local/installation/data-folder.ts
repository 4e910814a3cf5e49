import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { generateSigningSecret } from '../../platform/crypto/standard-webhooks.ts';
import { errorCode, LocalStackError } from '../stack/local-stack-error.ts';
import type { Environment } from '../stack/programs.ts';

export const PROJECT_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The data folder of `npm start`: TRIBUTARY_DATA, or `.data` in the project. */
export const dataFolderOf = (env: Environment): string => resolve(env['TRIBUTARY_DATA'] || join(PROJECT_ROOT, '.data'));

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

const schema = z.object({
  /** Value of ENCRYPTION_KEYS. */
  encryptionKeys: z.string().min(1),
  sandboxApiKey: z.string().min(16),
  sandboxNotificationSecret: z.string().startsWith('whsec_'),
});

/** The secrets that the processes of this installation share. */
export type Secrets = z.infer<typeof schema>;

const pathIn = (folder: string): string => join(folder, 'keys.json');

export const findSecrets = (folder: string): Promise<Secrets | null> => readPrivateFile(pathIn(folder), schema);

export const createSecrets = async (folder: string): Promise<Secrets> => {
  const secrets = {
    encryptionKeys: `k1:${randomBytes(32).toString('base64')}`,
    sandboxApiKey: `sandbox_${randomBytes(24).toString('base64url')}`,
    sandboxNotificationSecret: generateSigningSecret(),
  };
  await writePrivateFile(pathIn(folder), secrets);
  return secrets;
};
