import { MAIL_TIMING } from '../contracts/mail.ts';
import { RUN_SUFFIXES } from '../contracts/webhooks.ts';
import type { WorkflowType } from '../contracts/workflows/index.ts';
import { STANDARD_SCHEDULE } from '../domains/webhooks/index.ts';
import { sql } from '../platform/database/sql.ts';

/** The rows whose state a type of workflow carries to its end. Lanes, screening and the runs of Schedules have none. */
export interface WorkflowRows {
  type: WorkflowType;
  /**
   * A row each: `subject`, the `id` of its workflow and the `row` that this contains, whether it `is_open`, when that began (`since`) and
   * ended, and whether an outbox row starts or tells the workflow.
   */
  rows: ReturnType<typeof sql>;
  /** How long a workflow may wait for its next step, which finds that the row is final. */
  pauseMs: number;
}

const isQueued = (id: ReturnType<typeof sql>) => sql`exists (select from outbox o where o.subject_id = ${id})`;
const resendSuffix = sql`${RUN_SUFFIXES.resend}::text || d.resend_count`;

export const WORKFLOW_ROWS: readonly WorkflowRows[] = [
  {
    type: 'payoutLifecycle',
    rows: sql`select 'payout ' || p.id as subject, 'payout/' || p.id as id, p.id as row, p.status in ('pending','processing') as is_open,
        p.status, p.created_at as since, p.updated_at as ended_at, ${isQueued(sql`p.id`)} as is_queued from payout p`,
    pauseMs: 0,
  },
  {
    type: 'payoutCorrection',
    rows: sql`select 'correction ' || k.n || ' of payout ' || k.payout_id as subject, 'payout/' || k.payout_id || '/correction/' || k.n as id,
        k.payout_id as row, k.closed_at is null as is_open, k.status, k.requested_at as since, k.closed_at as ended_at,
        ${isQueued(sql`k.payout_id`)} as is_queued from payout_correction k`,
    pauseMs: 0,
  },
  {
    type: 'payoutContradiction',
    rows: sql`select 'contradiction ' || k.n || ' of payout ' || k.payout_id as subject,
        'payout/' || k.payout_id || '/contradiction/' || k.n as id, k.payout_id as row, k.resolved_at is null as is_open,
        'resolved' as status, k.opened_at as since, k.resolved_at as ended_at, ${isQueued(sql`k.payout_id`)} as is_queued
      from payout_contradiction k`,
    pauseMs: 0,
  },
  {
    // What is cancelled is not over before its payouts without an attempt failed.
    type: 'payoutRun',
    rows: sql`select 'payout run ' || r.id as subject, 'payout-run/' || r.id as id, r.id as row,
        r.status in ('draft','awaiting_approval','running','paused') as is_open, r.status, r.created_at as since,
        greatest(r.updated_at, (select max(p.updated_at) from payout p where p.payout_run_id = r.id)) as ended_at,
        ${isQueued(sql`r.id`)} as is_queued from payout_run r`,
    pauseMs: 0,
  },
  {
    type: 'applicationReview',
    rows: sql`select 'application ' || a.id as subject, 'application/' || a.id as id, a.id as row, a.status = 'pending' as is_open, a.status,
        a.created_at as since, a.decided_at as ended_at, ${isQueued(sql`a.id`)} as is_queued from application a`,
    pauseMs: 0,
  },
  {
    type: 'flagReview',
    rows: sql`select 'flag ' || f.id as subject, 'flag/' || f.id as id, f.id as row, f.hold_ended_at is null as is_open, f.status,
        f.created_at as since, f.hold_ended_at as ended_at, ${isQueued(sql`f.id`)} as is_queued from flag f`,
    pauseMs: 0,
  },
  {
    type: 'webhookDelivery',
    rows: sql`select 'delivery ' || d.id as subject, 'webhook/' || d.id || d.run_suffix as id, d.id as row,
        d.status = 'pending' and not d.in_lane as is_open, d.status, d.created_at as since, d.updated_at as ended_at,
        exists (select from outbox o where o.subject_id = d.id and o.suffix not like ${`${RUN_SUFFIXES.resend}%`}) as is_queued
      from webhook_delivery d`,
    pauseMs: STANDARD_SCHEDULE.maxWaitMs,
  },
  {
    type: 'webhookDelivery',
    rows: sql`select 'resend of delivery ' || d.id as subject, 'webhook/' || d.id || ${resendSuffix} as id, d.id as row,
        d.resend_requested_at is not null as is_open, 'sent' as status, d.resend_requested_at as since, d.updated_at as ended_at,
        exists (select from outbox o where o.subject_id = d.id and o.suffix = ${resendSuffix}) as is_queued from webhook_delivery d`,
    pauseMs: STANDARD_SCHEDULE.maxWaitMs,
  },
  {
    type: 'webhookReplay',
    rows: sql`select 'replay ' || r.id as subject, 'webhook-replay/' || r.id as id, r.id as row, r.state = 'running' as is_open,
        r.state as status, r.created_at as since, r.completed_at as ended_at, ${isQueued(sql`r.id`)} as is_queued from webhook_replay r`,
    pauseMs: 0,
  },
  {
    type: 'mailDelivery',
    rows: sql`select 'mail ' || m.id as subject, 'mail/' || m.id as id, m.id as row, m.status = 'queued' as is_open, m.status,
        m.queued_at as since, m.updated_at as ended_at, ${isQueued(sql`m.id`)} as is_queued from mail m`,
    pauseMs: Math.max(...MAIL_TIMING.retryAfterMs) * 1.1,
  },
];
