import { SCREENING_SHARDS, screening } from '../../contracts/workflows/screening.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { UnfinishedWork, UnfinishedWorkSource } from '../../platform/outbox/unfinished-rows.ts';
import { hasUnscreened } from './screening.queries.ts';

const workOf = (shard: number): UnfinishedWork => {
  const id = `00000000-0000-0000-0000-0000000000${shard.toString(16).padStart(2, '0')}`;
  return {
    id,
    workflowIds: [screening.id(shard)],
    message: { topic: 'screening.wake', subjectId: id, suffix: '', payload: { shard }, reconciled: true },
  };
};

/** Shards with conversions or clicks that wait to be screened. There are few: always one page. */
export const UNSCREENED_SHARDS: UnfinishedWorkSource = {
  name: 'screening',
  isPrefixed: true,
  async list(ctx, { after, before }) {
    if (after !== null) return [];
    const found = await rows(
      ctx.em,
      sql<{ shard: number }>`select shard from generate_series(0, ${SCREENING_SHARDS - 1}) as shard where exists (
        select from conversion where screening_shard(affiliate_id) = shard and screened_at is null
          and created_at < ${before.toISOString()}::timestamptz)
        or exists (select from click_alert where screening_shard(affiliate_id) = shard and handled_at is null
          and minute < ${before.toISOString()}::timestamptz - interval '1 minute')`,
    );
    return found.map(({ shard }) => workOf(shard));
  },
  async restart(ctx, { message }) {
    if (message.topic !== 'screening.wake') return;
    if (await hasUnscreened(ctx, message.payload.shard)) await enqueue(ctx, message);
  },
};
