import { after, MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { enqueueEach, jsonOf } from '../../platform/outbox/outbox.ts';
import { SNAPSHOT, SUMMARY, SUMMARY_TABLES } from './flag-state.queries.ts';

interface Stored {
  flagId: string;
}

/** Enqueues the starts of the flags' workflows. The flags must be stored. */
export const startFlagWorkflows = async (ctx: Context, flags: readonly Stored[]): Promise<void> => {
  const ids = flags.map(({ flagId }) => flagId);
  await execute(
    ctx.em,
    enqueueEach({
      topic: 'flag.start',
      suffix: '',
      subjectId: sql`f.id`,
      payload: SUMMARY,
      from: sql`${SUMMARY_TABLES} where f.id = any(${ids}::uuid[])`,
    }),
  );
};

/** Tells the flag's workflow how the flag is now. The caller has flushed the change. */
export const signalFlagWorkflow = (ctx: Context, flagId: string): Promise<void> =>
  signal(ctx, { from: sql`${SUMMARY_TABLES} where f.id = ${flagId}::uuid`, notBefore: sql`now()` });

interface Extended extends Stored {
  previousEvidenceAt: string | null;
}

/** Evidence may come with every sale. All that comes within a minute is one signal. */
export const signalEvidence = (ctx: Context, flags: readonly Extended[]): Promise<void> => {
  const ids = flags.map(({ flagId }) => flagId);
  const dueAt = flags.map(({ previousEvidenceAt }) => after(new Date(previousEvidenceAt ?? 0), MINUTE_MS).toISOString());
  return signal(ctx, {
    from: sql`${SUMMARY_TABLES} join unnest(${ids}::uuid[], ${dueAt}::timestamptz[]) as evidence (flag_id, due_at)
      on evidence.flag_id = f.id`,
    notBefore: sql`greatest(now(), evidence.due_at)`,
  });
};

const signal = async (ctx: Context, { from, notBefore }: Record<'from' | 'notBefore', RawBuilder<unknown>>): Promise<void> => {
  await execute(
    ctx.em,
    enqueueEach({
      topic: 'flag.changed',
      suffix: '',
      subjectId: sql`f.id`,
      payload: { ...SUMMARY, snapshot: jsonOf(SNAPSHOT) },
      from,
      notBefore,
    }),
  );
};
