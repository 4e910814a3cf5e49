import { readFile } from 'node:fs/promises';
import type { Runtime } from '../../src/runtime.ts';
import type { PgPool } from './pg.ts';

/** What one operation costs Postgres. */
export interface Cost {
  /** CPU time of the connection's server process. */
  cpuMicros: number;
  /** Pages read, from the cache or not. */
  pages: number;
}

export interface CostMeter {
  /** Costs per operation, of `times` operations one after the other. */
  measure(times: number, operation: (n: number) => Promise<unknown>): Promise<Cost>;
}

/** Measures the server process of the runtime's only connection: its pool must have one. Linux only. */
export const openCostMeter = async (runtime: Runtime, database: PgPool): Promise<CostMeter> => {
  const { em } = runtime.context({ kind: 'system', name: 'bench' });
  const [own] = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
  const pid = own?.pid ?? 0;
  const read = async (): Promise<Cost> => {
    // The connection reports its pages at the end of a statement once it was asked to.
    await em.execute('select pg_stat_force_next_flush()');
    await em.execute('select 1');
    const { rows } = await database.query<{ pages: number }>({
      name: 'pages',
      text: 'select coalesce(sum(hits + reads), 0)::float8 as pages from pg_stat_get_backend_io($1)',
      values: [pid],
    });
    const [nanos = '0'] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ');
    return { cpuMicros: Number(nanos) / 1_000, pages: rows[0]?.pages ?? 0 };
  };
  return {
    async measure(times, operation) {
      const before = await read();
      for (let n = 0; n < times; n++) await operation(n);
      const after = await read();
      return { cpuMicros: (after.cpuMicros - before.cpuMicros) / times, pages: (after.pages - before.pages) / times };
    },
  };
};

/** Rows read by sequential scans of each table so far, by all connections. */
export const sequentialReads = async (database: PgPool): Promise<Map<string, number>> => {
  const { rows } = await database.query<{ name: string; scans: number }>(
    `select relname as name, seq_tup_read::float8 as scans from pg_stat_user_tables
      where schemaname in ('public', 'partitions') and n_live_tup > 1000`,
  );
  return new Map(rows.map(({ name, scans }) => [name, scans]));
};
