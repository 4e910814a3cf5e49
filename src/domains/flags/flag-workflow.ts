import { after, MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { enqueueEach, jsonOf } from '../../platform/outbox/outbox.ts';
import { SNAPSHOT, SUMMARY, SUMMARY_TABLES } from './flag-state.queries.ts';

/** Enqueues the start of the flag's workflow. The flag must be stored. */
export const startFlagWorkflow = async (ctx: Context, flagId: string): Promise<void> => {
  await execute(
    ctx.em,
    enqueueEach({
      topic: 'flag.start',
      suffix: '',
      subjectId: sql`f.id`,
      payload: SUMMARY,
      from: sql`${SUMMARY_TABLES} where f.id = ${flagId}::uuid`,
    }),
  );
};

/** Tells the flag's workflow how the flag is now. The caller has flushed the change. */
export const signalFlagWorkflow = (ctx: Context, flagId: string): Promise<void> => signal(ctx, flagId, sql`now()`);

/** Evidence may come with every sale. All that comes within a minute is one signal. */
export const signalEvidence = (ctx: Context, flagId: string, previousEvidenceAt: Date): Promise<void> =>
  signal(ctx, flagId, sql`greatest(now(), ${after(previousEvidenceAt, MINUTE_MS).toISOString()}::timestamptz)`);

const signal = async (ctx: Context, flagId: string, notBefore: RawBuilder<unknown>): Promise<void> => {
  await execute(
    ctx.em,
    enqueueEach({
      topic: 'flag.changed',
      suffix: '',
      subjectId: sql`f.id`,
      payload: { ...SUMMARY, snapshot: jsonOf(SNAPSHOT) },
      from: sql`${SUMMARY_TABLES} where f.id = ${flagId}::uuid`,
      notBefore,
    }),
  );
};
