import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../installation/data-folder.ts';
import { LocalStackError } from '../stack/local-stack-error.ts';
import { runSql } from '../stack/sql.ts';

const withoutExtension = (file: string): string => file.replace(/\.[cm]?[jt]s$/, '');

/** Throws when a migration was applied that no longer exists: the database has the schema of an earlier version. */
export const assertKnownSchema = async (databaseUrl: string, location: string): Promise<void> => {
  const [table] = await runSql(databaseUrl, "select to_regclass('public.migration') is not null as exists");
  if (table?.['exists'] !== true) return;
  const applied = await runSql(databaseUrl, 'select name from migration');
  const known = new Set((await readdir(join(PROJECT_ROOT, 'migrations'))).map(withoutExtension));
  if (applied.every(({ name }) => known.has(withoutExtension(String(name))))) return;
  throw new LocalStackError(
    `The data in ${location} was created by an earlier version with a different schema: to start over, remove it or choose an empty location (--data <folder>, or DATABASE_URL).`,
  );
};
