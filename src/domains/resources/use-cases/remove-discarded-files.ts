import type { Context } from '../../../platform/context.ts';
import { execute, rows, sql } from '../../../platform/database/sql.ts';

const BATCH = 100;
/** Per round; the next round continues with what is left. */
const MAX_BATCHES = 20;

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
    if (gone.length > 0)
      await execute(ctx.em, sql`delete from stored_file where id = any(${gone}::uuid[]) and status = 'discarded'`);
    removed += gone.length;
    if (gone.length < BATCH) break;
  }
  return removed;
};

/** Discards what has expired first: from then on no upload can take such a file. */
const findDiscarded = async (ctx: Context): Promise<string[]> => {
  const now = ctx.clock.now().toISOString();
  await execute(
    ctx.em,
    sql`update stored_file set status = 'discarded', expires_at = null, receipt_id = null, updated_at = ${now}::timestamptz
      where id in (select id from stored_file where expires_at < ${now}::timestamptz order by expires_at limit ${BATCH} for update skip locked)`,
  );
  const found = await rows(
    ctx.em,
    sql<{ id: string }>`select id from stored_file where status = 'discarded' order by id limit ${BATCH}`,
  );
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
