import { randomBytes } from 'node:crypto';
import { runSql } from '../../../src/local-stack/sql.ts';

export interface TestDatabase {
  url: string;
  /** Ends connections that are still open. */
  drop(): Promise<void>;
}

/** A migrated, empty database of its own; every test file makes one. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = getSetting('TEST_DATABASE_ADMIN_URL');
  const template = getSetting('TEST_TEMPLATE_DATABASE');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runSql(adminUrl, `create database ${name} template ${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
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
