import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

/** Programs whose use was recorded by this process within the last minute. */
const recorded = new LRUCache<string, true>({ max: 10_000, ttl: MINUTE_MS });

/** Records that an event was signed with the current secret of a program, at most once a minute. */
export const recordEventSecretUse = async (ctx: Context, programId: string): Promise<void> => {
  if (recorded.has(programId)) return;
  await execute(
    ctx.em,
    sql`update program_event_secret set last_used_at = ${ctx.clock.now().toISOString()}::timestamptz
      where program_id = ${programId}::uuid and expires_at is null`,
  );
  recorded.set(programId, true);
};
