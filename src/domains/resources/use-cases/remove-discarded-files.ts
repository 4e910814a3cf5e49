import type { Context } from '../../../platform/context.ts';
import { execute, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';

const BATCH = 100;
/** Per round; the next round continues with what is left. */
const MAX_BATCHES = 20;
/** With a literal: a parameter could not use the partial index. */
const IS_DISCARDED = sql<boolean>`status = 'discarded'`;

/**
 * Removes files that are no longer used, and those of uploads that expired, from the storage, and then their rows. Runs at least
 * once for each: a crash in between leaves a row, and the next round removes its file again. Returns how many rows.
 */
export const removeDiscardedFiles = async (ctx: Context): Promise<number> => {
  let removed = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const ids = await findDiscarded(ctx);
    const gone: string[] = [];
    for (const id of ids) if (await isRemoved(ctx, id)) gone.push(id);
    if (gone.length > 0) await execute(ctx.em, db.deleteFrom('stored_file').where('id', '=', anyOf(gone)).where(IS_DISCARDED));
    removed += gone.length;
    if (gone.length < BATCH) break;
  }
  return removed;
};

/** Discards what has expired first: from then on no upload can take such a file. */
const findDiscarded = async (ctx: Context): Promise<string[]> => {
  const now = ctx.clock.now();
  await execute(
    ctx.em,
    db
      .updateTable('stored_file')
      .set({ status: 'discarded', expiresAt: null, receiptId: null, updatedAt: now })
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('stored_file')
          .select('id')
          .where('expiresAt', '<', now.toISOString())
          .orderBy('expiresAt')
          .limit(BATCH)
          .forUpdate()
          .skipLocked(),
      ),
  );
  const found = await rows(ctx.em, db.selectFrom('stored_file').select('id').where(IS_DISCARDED).orderBy('id').limit(BATCH));
  return found.map(({ id }) => id);
};

/** A file that cannot be removed now holds up no other. */
const isRemoved = async (ctx: Context, id: string): Promise<boolean> =>
  ctx.settings.storage.remove(id).then(
    () => true,
    (err: unknown) => {
      ctx.log.warn({ err, fileId: id }, 'a file could not be removed from the storage');
      return false;
    },
  );
