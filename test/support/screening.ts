import { screenClicks, screenConversions } from '../../src/domains/flags/index.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import type { Runtime } from '../../src/runtime.ts';

/** Screens all clicks and conversions that wait for it, as the worker does, and approves those that are due. */
export const screenAll = async (runtime: Runtime): Promise<void> => {
  const context = () => runtime.context({ kind: 'system', name: 'screening' });
  const waiting = await rows(
    context().em,
    sql<{ shard: number }>`select distinct screening_shard(affiliate_id) as shard from conversion where screened_at is null
      union select screening_shard(affiliate_id) from click_alert where handled_at is null`,
  );
  for (const { shard } of waiting) {
    await screenClicks(context(), { shard, limit: 100 });
    while ((await screenConversions(context(), { shard, limit: 100 })) === 100);
  }
};
