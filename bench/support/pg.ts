import { createRequire } from 'node:module';

export interface PgConnection {
  query<Row>(statement: string | { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: Row[] }>;
  release(): void;
}

export interface PgPool extends Omit<PgConnection, 'release'> {
  connect(): Promise<PgConnection>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): void;
}

/** The driver ships no types. */
const { Pool } = createRequire(import.meta.url)('pg') as {
  Pool: new (options: { connectionString: string; max: number }) => PgPool;
};

/** The bare driver, without the layers of Tributary. */
export const openPool = (connectionString: string, max: number): PgPool => {
  const pool = new Pool({ connectionString, max });
  // Without a listener, an error on an idle connection would end the process.
  pool.on('error', () => {});
  return pool;
};
