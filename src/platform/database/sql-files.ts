import { hash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { db } from '../tables.ts';
import type { EntityManager } from './orm.ts';
import { execute, rows, sql } from './sql.ts';

const SOURCE = fileURLToPath(new URL('../../', import.meta.url));
/** In this order, each by name: triggers of the domains call functions of the platform. */
const FOLDERS = ['platform/database/sql/*.sql', 'domains/*/sql/*.sql'];

interface SqlFile {
  /** Path below `src`. */
  name: string;
  text: string;
  checksum: string;
}

export interface SqlFileState {
  /** Files of this version that the database lacks, or has with another text. */
  changed: SqlFile[];
  /** Files of the database that this version does not know. */
  unknown: string[];
}

const readSqlFile = async (name: string): Promise<SqlFile> => {
  const text = await readFile(`${SOURCE}${name}`, 'utf8');
  return { name, text, checksum: hash('sha256', text) };
};

const readSqlFiles = (): Promise<SqlFile[]> =>
  Promise.all(FOLDERS.flatMap((folder) => globSync(folder, { cwd: SOURCE }).sort()).map(readSqlFile));

/** Compares the functions and triggers of the database with those of this version. Changes nothing. */
export const readSqlFileState = async (em: EntityManager): Promise<SqlFileState> => {
  const files = await readSqlFiles();
  const applied = await rows(em, db.selectFrom('sql_file').select(['name', 'checksum']).orderBy('name'));
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  const names = new Set(files.map(({ name }) => name));
  return {
    changed: files.filter(({ name, checksum }) => checksums.get(name) !== checksum),
    unknown: applied.map(({ name }) => name).filter((name) => !names.has(name)),
  };
};

/** Creates or replaces the functions and triggers of files that changed, in the caller's transaction; returns their names. */
export const applySqlFiles = async (em: EntityManager): Promise<string[]> => {
  const { changed } = await readSqlFileState(em);
  for (const { name, text, checksum } of changed) {
    await execute(em, sql.raw(text));
    await execute(
      em,
      db
        .insertInto('sql_file')
        .values({ name, checksum })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ checksum, appliedAt: sql<string>`now()` })),
    );
  }
  return changed.map(({ name }) => name);
};
