import { TOPIC_PRIORITIES } from '../../contracts/outbox.ts';
import { type RawBuilder, sql } from '../../platform/database/sql.ts';

/**
 * Template: the insert that wakes the workflows which screen the affiliates of `from`, as a part of a statement. Rows become due
 * every two seconds, so that one call serves many. They are unique to no key, so that no transaction waits for another.
 */
export const wakeScreening = (affiliateId: RawBuilder<unknown>, from: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`insert into outbox (topic, priority, subject_id, suffix, payload, not_before, next_attempt_at)
    select 'screening.wake', ${sql.lit(TOPIC_PRIORITIES['screening.wake'])}, ('00000000-0000-0000-0000-0000000000' || lpad(to_hex(shard), 2, '0'))::uuid,
      null, jsonb_build_object('shard', shard), due, due
    from (select screening_shard(${affiliateId}) as shard, to_timestamp(ceil(extract(epoch from now()) / 2) * 2) as due
      from ${from}) as target`;
