import { randomBytes } from 'node:crypto';
import { runSql } from '../../../src/local/stack/sql.ts';

export interface TestDatabase {
  /** As the role of the application, which may not do everything. */
  url: string;
  /** As the role that owns the tables, for tests that change what the application may not. */
  ownerUrl: string;
  /** Ends connections that are still open. */
  drop(): Promise<void>;
}

/** A migrated, empty database of its own; every test file makes one. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = getSetting('TEST_DATABASE_ADMIN_URL');
  const template = getSetting('TEST_TEMPLATE_DATABASE');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Cheaper than the default, which writes every page to the journal.
  await runSql(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  const inDatabase = (server: string): string => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    url: inDatabase(getSetting('TEST_DATABASE_URL')),
    ownerUrl: inDatabase(adminUrl),
    drop: async () => {
      await runSql(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

function getSetting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: only the "services" project of Jest starts the databases`);
  return value;
}
