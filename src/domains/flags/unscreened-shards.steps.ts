import { SCREENING_SHARDS } from '../../contracts/workflows/screening.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { UnfinishedWork, UnfinishedWorkSource } from '../../platform/outbox/unfinished-rows.ts';
import { db } from '../tables.ts';
import { unhandledAlerts } from './click-alerts.queries.ts';
import { isOfShard } from './screening.queries.ts';

const workOf = (shard: number): UnfinishedWork => {
  const id = `00000000-0000-0000-0000-0000000000${shard.toString(16).padStart(2, '0')}`;
  return {
    id,
    message: { topic: 'screening.wake', subjectId: id, suffix: '', payload: { shard }, reconciled: true },
  };
};

/** Whether anything of a shard waits to be screened. */
const hasUnscreened = async (ctx: Context, shard: number): Promise<boolean> => {
  const conversions = db
    .selectFrom('conversion')
    .select(sql.lit(1).as('one'))
    .where(isOfShard(shard))
    .where('screenedAt', 'is', null);
  return (await firstRow(ctx.em, conversions.unionAll(unhandledAlerts(shard)).limit(sql.lit(1)))) !== null;
};

/** Shards with conversions or clicks that wait to be screened. There are few: always one page. A template: of a generated series. */
export const UNSCREENED_SHARDS: UnfinishedWorkSource = {
  name: 'screening',
  async list(ctx, { after: last, before }) {
    if (last !== null) return [];
    const minute = after(before, -MINUTE_MS);
    const found = await rows(
      ctx.em,
      sql<{ shard: number }>`select shard from generate_series(0, ${SCREENING_SHARDS - 1}) as shard where exists (
        select from conversion where screening_shard(affiliate_id) = shard and screened_at is null
          and created_at < ${before.toISOString()})
        or exists (select from click_alert where screening_shard(affiliate_id) = shard and handled_at is null
          and minute < ${minute.toISOString()})`,
    );
    return found.map(({ shard }) => workOf(shard));
  },
  async restart(ctx, { message }) {
    if (message.topic !== 'screening.wake') return;
    if (await hasUnscreened(ctx, message.payload.shard)) await enqueue(ctx, message);
  },
};
