import type { Context } from '../context.ts';
import { execute, type RawBuilder, sql } from './sql.ts';

/** The expression that takes the lock of a name when it is evaluated. */
export const lockOfName = (name: string | RawBuilder<string>): RawBuilder<unknown> =>
  sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`;

/**
 * As `lockOfName`, shared by all who take it this way. Unlike the shared lock of a row it has a queue: whoever waits for it alone comes
 * before those who arrive later, so a steady stream of them holds nobody up.
 */
export const sharedLockOfName = (name: string | RawBuilder<string>): RawBuilder<unknown> =>
  sql`pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`;

/** Waits for the lock of a name, which need not be a row, and holds it until the transaction ends. Taking it again does not wait. */
export const lockName = (ctx: Context, name: string): Promise<number> => execute(ctx.em, sql`select ${lockOfName(name)}`);
