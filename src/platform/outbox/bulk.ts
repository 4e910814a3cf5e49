import { after, SECOND_MS } from '../clock.ts';
import { type Context, inTransaction } from '../context.ts';
import { type RawBuilder, sql } from '../database/sql.ts';

/** Rows that one transaction of bulk work enqueues at most. */
export const BULK_CHUNK = 1_000;

/** Rows that one action makes due per second: rows of other tenants are relayed between them. */
const ROWS_PER_SECOND = 500;

export interface BulkChunk {
  /** Rows to enqueue at most. */
  limit: number;
  /** When the row at a position of this chunk, counted from 0, is due. */
  notBefore(position: RawBuilder<unknown>): RawBuilder<unknown>;
}

/**
 * Enqueues any number of rows in transactions of at most `BULK_CHUNK`, with due times that follow each other, until a chunk
 * is not full. Must not be called inside a transaction. After a crash, the next call continues where the last one ended.
 * Returns the number of rows.
 */
export const enqueueInChunks = async (
  ctx: Context,
  enqueueChunk: (ctx: Context, chunk: BulkChunk) => Promise<number>,
): Promise<number> => {
  if (ctx.em.isInTransaction()) throw new Error('Bulk work needs a transaction for each chunk');
  const startsAt = ctx.clock.now();
  for (let enqueued = 0; ; ) {
    const from = after(startsAt, (enqueued / ROWS_PER_SECOND) * SECOND_MS).toISOString();
    const notBefore = (position: RawBuilder<unknown>) =>
      sql`${from}::timestamptz + (${position}) * ${SECOND_MS / ROWS_PER_SECOND}::float8 * interval '1 millisecond'`;
    const inserted = await inTransaction(ctx, (ctx) => enqueueChunk(ctx, { limit: BULK_CHUNK, notBefore }));
    enqueued += inserted;
    if (inserted < BULK_CHUNK) return enqueued;
  }
};
