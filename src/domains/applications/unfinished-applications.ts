import type { ApplicationSummary } from '../../contracts/applications.ts';
import { applicationReview } from '../../contracts/workflows/application-review.ts';
import { sql } from '../../platform/database/sql.ts';
import { unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';
import { SUMMARY, SUMMARY_TABLES } from './application-workflow.ts';

/** Applications that wait for a decision. */
export const UNFINISHED_APPLICATIONS = unfinishedRows<ApplicationSummary>({
  name: 'applications',
  from: SUMMARY_TABLES,
  id: sql`a.id`,
  isUnfinished: sql`a.status = 'pending'`,
  changedAt: sql`a.updated_at`,
  topics: ['application.start'],
  payload: SUMMARY,
  messageOf: (payload) => ({ topic: 'application.start', subjectId: payload.applicationId, suffix: '', payload }),
  workflowIdOf: applicationReview.id,
});
