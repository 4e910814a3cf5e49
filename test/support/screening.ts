import { HELD_CONVERSION } from '../../src/domains/conversions/index.ts';
import { screenClicks, screenConversions } from '../../src/domains/flags/index.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import type { Runtime } from '../../src/runtime.ts';
import { until } from './until.ts';

/** Screens all clicks and conversions that wait for it, as the worker does, and approves those that are due. */
export const screenAll = async (runtime: Runtime): Promise<void> => {
  const context = () => runtime.context({ kind: 'system', name: 'screening' });
  const waiting = await rows(
    context().em,
    sql<{ shard: number }>`select distinct screening_shard(affiliate_id) as shard from conversion where screened_at is null
      union select screening_shard(affiliate_id) from click_alert where handled_at is null`,
  );
  for (const { shard } of waiting) {
    while (await screenClicks(context(), { shard, limit: 100 }));
    while ((await screenConversions(context(), { shard, limit: 100 })).screened === 100);
  }
  await releasedByWorker(runtime);
};

/** A worker that runs beside the test may have screened a conversion and not approved it yet. */
const releasedByWorker = async (runtime: Runtime): Promise<void> => {
  const { em } = runtime.context({ kind: 'system', name: 'screening' });
  const due = sql`select from conversion c join affiliate a on a.id = c.affiliate_id and a.status = 'approved'
    where c.screened_at > now() - interval '5 seconds' and c.approved_at is null and c.release_at <= now()
      and c.status in ('pending','partially_refunded') and not ${HELD_CONVERSION} limit 1`;
  await until(
    'what was screened a moment ago is approved',
    () => rows(em, due),
    ({ length }) => length === 0,
  );
};
