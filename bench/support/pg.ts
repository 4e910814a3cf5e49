import { createRequire } from 'node:module';

export interface PgConnection {
  query<Row>(statement: string | { name: string; text: string; values: readonly unknown[] }): Promise<{ rows: Row[] }>;
  release(): void;
}

export interface PgPool extends Omit<PgConnection, 'release'> {
  connect(): Promise<PgConnection>;
  end(): Promise<void>;
  on(event: 'error', heard: () => void): void;
}

/** The driver brings no types. */
const { Pool } = createRequire(import.meta.url)('pg') as {
  Pool: new (options: { connectionString: string; max: number }) => PgPool;
};

/** The bare driver, as a program without our layers would use it. */
export const openPool = (connectionString: string, max: number): PgPool => {
  const pool = new Pool({ connectionString, max });
  // Unheard, the end of an idle connection would end the process.
  pool.on('error', () => {});
  return pool;
};
