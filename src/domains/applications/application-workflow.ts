import type { ApplicationSnapshot, ApplicationSummary } from '../../contracts/applications.ts';
import type { Context } from '../../platform/context.ts';
import { execute, type FieldsOf, isoOf, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { enqueueEach, jsonOf } from '../../platform/outbox/outbox.ts';
import type { Application } from './application.entity.ts';

/** The columns of an `ApplicationSummary`, over `SUMMARY_TABLES`. */
export const SUMMARY: FieldsOf<ApplicationSummary> = {
  applicationId: sql`a.id`,
  merchantId: sql`a.merchant_id`,
  programId: sql`a.program_id`,
  affiliateId: sql`a.affiliate_id`,
  programName: sql`g.name`,
  source: sql`a.source`,
  riskNotes: sql`a.risk_notes`,
  createdAt: isoOf(sql`a.created_at`),
  dueAt: isoOf(sql`a.due_at`),
};

export const SUMMARY_TABLES = sql`application a join program g on g.id = a.program_id`;

/** The columns of an `ApplicationSnapshot`, over the application `a`. */
export const SNAPSHOT: FieldsOf<ApplicationSnapshot> = {
  version: sql`a.version`,
  status: sql`a.status`,
  expired: sql`a.status = 'declined' and a.decided_by is null`,
  reminders: sql`a.reminders`,
  isProgramArchived: sql`(select p.status = 'archived' from program p where p.id = a.program_id)`,
  cancellationIgnoredAt: isoOf(sql`a.cancellation_ignored_at`),
};

/** Stores the application and enqueues the start of its workflow. */
export const startApplicationWorkflow = async (ctx: Context, { id }: Application): Promise<void> => {
  await ctx.em.flush();
  await execute(
    ctx.em,
    enqueueEach({
      topic: 'application.start',
      suffix: '',
      subjectId: sql`a.id`,
      payload: SUMMARY,
      from: sql`${SUMMARY_TABLES} where a.id = ${id}::uuid`,
    }),
  );
};

/** The end of a statement that tells the workflows of applications `a` how these are now. `from` has the program too, as `g`. */
export const signalEach = (from: RawBuilder<unknown>): RawBuilder<unknown> =>
  enqueueEach({
    topic: 'application.changed',
    suffix: '',
    subjectId: sql`a.id`,
    payload: { ...SUMMARY, snapshot: jsonOf(SNAPSHOT) },
    from,
  });

/** Stores the application and tells its workflow how it is now. */
export const signalApplicationWorkflow = async (ctx: Context, { id }: Application): Promise<void> => {
  await ctx.em.flush();
  await execute(ctx.em, signalEach(sql`${SUMMARY_TABLES} where a.id = ${id}::uuid`));
};
