import type { Context } from '../context.ts';
import { execute, sql } from '../database/sql.ts';

/** What the relay can be asked to do. `src/relay/routing.ts` says what each means. */
export const OUTBOX_TOPICS = ['payout.start', 'payout.changed', 'payout.return', 'webhook.deliver'] as const;
export type OutboxTopic = (typeof OUTBOX_TOPICS)[number];

export interface OutboxRow {
  topic: OutboxTopic;
  subjectId: string;
  /** Makes a row unique among those of its topic and subject that still wait. */
  suffix: string;
  /** Ids and small payload: they end up in workflow histories, so never personal data. */
  payload: Readonly<Record<string, string>>;
}

/**
 * Asks the relay, in the same transaction as the reason for it. A row that says the same and still waits is left as
 * it is: one wake-up is enough. A row that is being relayed right now is not enough, so it is asked for again.
 */
export const enqueue = async (ctx: Context, row: OutboxRow): Promise<void> => {
  await execute(
    ctx.em,
    sql`insert into outbox (topic, subject_id, suffix, payload) values
        (${row.topic}, ${row.subjectId}::uuid, ${row.suffix}, ${JSON.stringify(row.payload)}::jsonb)
        on conflict (topic, subject_id, suffix) do update set lease_expires_at = null, lease_id = null
        where outbox.lease_id is not null`,
  );
};
