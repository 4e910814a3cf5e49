import type { Context } from '../context.ts';
import { execute, sql } from './sql.ts';

/** Waits for the lock of a name, which need not be a row, and holds it until the transaction ends. Taking it again does not wait. */
export const lockName = (ctx: Context, name: string): Promise<number> =>
  execute(ctx.em, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
