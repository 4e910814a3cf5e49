import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { EntityManager } from './orm.ts';
import { rows, sql } from './sql.ts';
import { readSqlFileState } from './sql-files.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

export interface MigrationState {
  applied: number;
  /** Migrations of this version that the database lacks, and files of functions that it lacks or has with another text. */
  pending: string[];
  /** Migrations and files of the database that this version does not know. */
  unknown: string[];
}

/** Compares the database with the migrations and functions of this version. Changes nothing. Throws when no migration has ever run. */
export const readMigrationState = async (em: EntityManager): Promise<MigrationState> => {
  const known = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.ts')).map((file) => basename(file, '.ts'));
  const applied = (await rows(em, sql<{ name: string }>`select name from migration order by name`)).map(({ name }) => name);
  const files = await readSqlFileState(em);
  return {
    applied: applied.length,
    pending: [...known.filter((name) => !applied.includes(name)), ...files.changed.map(({ name }) => name)],
    unknown: [...applied.filter((name) => !known.includes(name)), ...files.unknown],
  };
};
