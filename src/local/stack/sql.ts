import { createRequire } from 'node:module';

interface SqlClient {
  connect(): Promise<void>;
  query(sql: string): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
}

/** The driver that the ORM uses; it ships no types. */
const { Client } = createRequire(import.meta.url)('pg') as {
  Client: new (options: { connectionString: string; connectionTimeoutMillis: number; query_timeout: number }) => SqlClient;
};

/** Runs the statements in order on a new connection; returns the rows of the last one. */
export async function runSql(databaseUrl: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 60_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
