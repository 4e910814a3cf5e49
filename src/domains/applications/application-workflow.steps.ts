import type { ApplicationSnapshot, ApplicationSummary } from '../../contracts/applications.ts';
import { applicationReview } from '../../contracts/workflows/application-review.ts';
import type { Context } from '../../platform/context.ts';
import { execute, expressionBuilder, type FieldsOf, firstRow, isoOf, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { enqueueEach, jsonOf } from '../../platform/outbox/outbox.ts';
import { unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';
import { roleOfCaller } from '../auth/index.ts';
import { db, type Tables } from '../tables.ts';
import type { Application } from './application.entity.ts';

interface SummaryTables {
  a: Tables['application'];
  g: Tables['program'];
}

const eb = expressionBuilder<SummaryTables, keyof SummaryTables>();

/** Declined because nobody decided in time. */
export const isExpired = eb.and([eb('a.status', '=', sql.lit('declined')), eb('a.decidedBy', 'is', null)]).$castTo<boolean>();

/** A template: rows of the outbox are selected from more than the builder can say. */
const SUMMARY_TABLES = sql`application a join program g on g.id = a.program_id`;

/** The columns of an `ApplicationSummary`, over `SUMMARY_TABLES`. */
const SUMMARY: FieldsOf<Required<ApplicationSummary>> = {
  applicationId: eb.ref('a.id'),
  merchantId: eb.ref('a.merchantId'),
  programId: eb.ref('a.programId'),
  affiliateId: eb.ref('a.affiliateId'),
  programName: eb.ref('g.name'),
  companyName: sql`(select m.company_name from merchant m where m.id = a.merchant_id)`,
  source: eb.ref('a.source'),
  riskNotes: eb.ref('a.riskNotes'),
  createdAt: isoOf(eb.ref('a.createdAt')),
  dueAt: isoOf(eb.ref('a.dueAt')),
};

/** The columns of an `ApplicationSnapshot`, over `SUMMARY_TABLES`. */
const SNAPSHOT: FieldsOf<ApplicationSnapshot> = {
  version: eb.ref('a.version'),
  status: eb.ref('a.status'),
  expired: isExpired,
  reminders: eb.ref('a.reminders'),
  isProgramArchived: eb('g.status', '=', sql.lit('archived')),
  decidedBy: roleOfCaller(sql`a.decided_by`, sql`a.merchant_id`),
};

/** What the workflow needs to decide on its next step. */
export const getApplicationSnapshot = async (ctx: Context, applicationId: string): Promise<ApplicationSnapshot> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('application as a')
      .innerJoin('program as g', 'g.id', 'a.programId')
      .select(jsonOf<ApplicationSnapshot>(SNAPSHOT).as('snapshot'))
      .where('a.id', '=', applicationId),
  );
  if (!row) throw notFound('Application');
  return row.snapshot;
};

/** Enqueues the start of the application's workflow. */
export const startApplicationWorkflow = (ctx: Context, { id }: Application): Promise<number> =>
  execute(
    ctx.em,
    enqueueEach({
      topic: 'application.start',
      suffix: '',
      subjectId: eb.ref('a.id'),
      payload: SUMMARY,
      from: sql`${SUMMARY_TABLES} where a.id = ${id}::uuid`,
    }),
  );

/** The end of a statement that tells the workflows of applications `a` how these are now. `from` has the program too, as `g`. */
export const signalEach = (from: RawBuilder<unknown>): RawBuilder<unknown> =>
  enqueueEach({
    topic: 'application.changed',
    suffix: '',
    subjectId: eb.ref('a.id'),
    payload: { ...SUMMARY, snapshot: jsonOf(SNAPSHOT) },
    from,
  });

/** Tells the application's workflow how it is now. */
export const signalApplicationWorkflow = (ctx: Context, { id }: Application): Promise<number> =>
  execute(ctx.em, signalEach(sql`${SUMMARY_TABLES} where a.id = ${id}::uuid`));

/** Applications that wait for a decision. */
export const UNFINISHED_APPLICATIONS = unfinishedRows(applicationReview, {
  name: 'applications',
  from: SUMMARY_TABLES,
  id: sql`a.id`,
  isUnfinished: sql`a.status = 'pending'`,
  changedAt: sql`a.updated_at`,
  payload: SUMMARY,
});
