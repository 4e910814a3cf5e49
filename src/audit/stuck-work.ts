import { MAIL_TIMING } from '../contracts/mail.ts';
import { railsOfKind } from '../contracts/rails.ts';
import { RUN_SUFFIXES } from '../contracts/webhooks.ts';
import { applicationReview } from '../contracts/workflows/application-review.ts';
import { flagReview } from '../contracts/workflows/flag-review.ts';
import { mailDelivery } from '../contracts/workflows/mail-delivery.ts';
import { payoutLifecycle } from '../contracts/workflows/payout-lifecycle.ts';
import { payoutRun } from '../contracts/workflows/payout-run.ts';
import { webhookDelivery } from '../contracts/workflows/webhook-delivery.ts';
import { webhookReplay } from '../contracts/workflows/webhook-replay.ts';
import { HELD_CONVERSION } from '../domains/conversions/index.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { rows, sql } from '../platform/database/sql.ts';
import { listFailing } from '../relay/failing-workflows.ts';
import { type Audit, type Check, type FindingRow, findingsOf, lateSince, MAX_FINDINGS } from './audit.ts';
import { listRunning, listWorkflowStatuses, type WorkflowOfType } from './temporal-queries.ts';

const MANUAL_RAILS = railsOfKind('manual');

/** I7: everything makes progress or is flagged with needsAttention. */
export const checkStuckWork: Check = async (audit) => [
  ...findingsOf('I7', await lateRows(audit)),
  ...findingsOf('I7', await latePayouts(audit)),
  ...findingsOf('I7', await missingWorkflows(audit)),
  ...findingsOf('I7', await failingWorkflows(audit)),
  ...findingsOf('I7', await endedPayoutsWithWorkflows(audit)),
];

const lateRows = (audit: Audit): Promise<FindingRow[]> => {
  const late = lateSince(audit, audit.budgets.promptMs);
  return rows(
    audit.ctx.em,
    sql<FindingRow>`select * from (
      select format('outbox %s of %s', topic, subject_id) as subject, 'not relayed after ' || attempts || ' attempts' as detail
        from outbox where not_before < ${late}
      union all select 'notification ' || id, 'was not applied' from rail_notification
        where handled_at is null and attempt_id is not null and received_at < ${late}
      union all select 'delivery ' || id, 'is overdue' from webhook_delivery
        where status = 'pending' and not in_lane and next_attempt_at < ${late}
      union all select 'delivery ' || id, 'was not resent' from webhook_delivery
        where resend_requested_at < ${late}
      union all select 'mail ' || id, 'was neither sent nor given up in time' from mail
        where status = 'queued' and queued_at < ${lateSince(audit, audit.budgets.promptMs + MAIL_TIMING.giveUpAfterMs)}
      union all ${laterThanItsEndpoint(late)}
      union all select format('delivery %s attempt %s', delivery_id, n), 'was never finished' from webhook_attempt
        where outcome is null and started_at < ${late}
      union all select 'refund ' || r.id, 'is not applied' from sale_refund r
        join sale s on s.program_id = r.program_id and s.provider = r.provider and s.external_id = r.external_sale_id
        where r.applied_at is null and r.refused_at is null and r.created_at < ${late} and s.created_at < ${late}
      union all select 'sale ' || s.id, 'is not reduced by what was refunded' from sale_cumulative_refund r
        join sale s on s.program_id = r.program_id and s.provider = r.provider and s.external_id = r.external_sale_id
        where s.refunded < floor(s.amount::numeric * least(r.refunded_gross, coalesce(r.charged_gross, s.charged_gross, s.amount))
          / coalesce(r.charged_gross, s.charged_gross, s.amount))
      ) as rest limit ${MAX_FINDINGS}`,
  );
};

/** A backlog may wait while its endpoint is held back by its circuit breaker, or while attempts of the endpoint are recorded. */
const laterThanItsEndpoint = (late: string) => sql`
  select 'delivery ' || d.id, 'waits in lane ' || d.slot % l.lanes from webhook_delivery d join webhook_endpoint w on w.id = d.endpoint_id
    join webhook_lane l on l.lane = 0
  where d.status = 'pending' and d.in_lane and d.next_attempt_at < ${late} and w.breaker_until is null
    and not exists (select 1 from webhook_delivery other where other.endpoint_id = d.endpoint_id and other.attempts > 0
      and other.updated_at >= ${late})`;

/** On hold until the contradictions of its affiliate are resolved: a payout `p` may go on from then. */
const heldSince = (time: string) => sql`exists (
  select from payout_contradiction k join payout o on o.id = k.payout_id
  where o.affiliate_id = p.affiliate_id and (k.resolved_at is null or k.resolved_at >= ${time}))`;

/** Payouts on manual rails may wait for any time. */
const latePayouts = (audit: Audit): Promise<FindingRow[]> => {
  const late = lateSince(audit, audit.budgets.promptMs);
  return rows(
    audit.ctx.em,
    sql<FindingRow>`select * from (
      select 'payout ' || p.id as subject, p.status || ' for too long' as detail from payout p
        where p.rail <> all(${MANUAL_RAILS}) and not p.needs_attention and (
          (p.status = 'pending' and p.created_at < ${late} and not ${heldSince(late)})
          or (p.status = 'processing' and p.processing_at < ${lateSince(audit, audit.budgets.payoutMs)}))
      union all select 'payout ' || payout_id, 'its attempt was reserved but not sent' from payout_attempt
        where outcome = 'created' and rail <> all(${MANUAL_RAILS}) and created_at < ${late}
      union all select 'conversion ' || id, 'is not screened' from conversion
        where screened_at is null and created_at < ${late}
      union all select 'affiliate ' || affiliate_id, format('clicks of %s were not screened', minute) from click_alert
        where handled_at is null and minute < ${late}::timestamptz - interval '1 minute'
      union all select 'conversion ' || id, 'its hold period has ended but it is not approved' from conversion c
        where exists (select 1 from affiliate a where a.id = c.affiliate_id and a.status = 'approved') and approved_at is null
          and not ${HELD_CONVERSION} and status in ('pending','partially_refunded') and release_at < ${late} and screened_at < ${late}
      ) as rest limit ${MAX_FINDINGS}`,
  );
};

interface OpenRow extends WorkflowOfType {
  subject: string;
}

/**
 * Every open payout, unfinished payout run, pending application, flag that holds something, delivery that left its lane, running replay and queued mail needs a
 * running workflow, or an outbox row that starts one. Rows within the time limit are skipped: their workflow may not have started yet.
 */
const missingWorkflows = async (audit: Audit): Promise<FindingRow[]> => {
  if (!audit.temporal) return [];
  const late = lateSince(audit, audit.budgets.promptMs);
  const expected = await rows(
    audit.ctx.em,
    sql<OpenRow>`select * from (
      select 'payout ' || p.id as subject, ${payoutLifecycle.type} as type, 'payout/' || p.id as id
        from payout p where p.status in ('pending','processing') and p.created_at < ${late}
          and not exists (select 1 from outbox o where o.subject_id = p.id)
      union all
      select 'payout run ' || r.id, ${payoutRun.type}, 'payout-run/' || r.id from payout_run r
        where r.status in ('draft','awaiting_approval','running','paused') and r.created_at < ${late}
          and not exists (select 1 from outbox o where o.subject_id = r.id)
      union all
      select 'application ' || a.id, ${applicationReview.type}, 'application/' || a.id
        from application a where a.status = 'pending' and a.created_at < ${late}
          and not exists (select 1 from outbox o where o.subject_id = a.id)
      union all
      select 'flag ' || f.id, ${flagReview.type}, 'flag/' || f.id from flag f
        where f.hold_ended_at is null and f.created_at < ${late}
          and not exists (select 1 from outbox o where o.subject_id = f.id)
      union all
      select 'delivery ' || d.id, ${webhookDelivery.type}, 'webhook/' || d.id || d.run_suffix from webhook_delivery d
        where d.status = 'pending' and not d.in_lane and d.created_at < ${late}
          and not exists (select 1 from outbox o where o.subject_id = d.id and o.suffix not like ${`${RUN_SUFFIXES.resend}%`})
      union all
      select 'replay ' || r.id, ${webhookReplay.type}, 'webhook-replay/' || r.id from webhook_replay r
        where r.state = 'running' and r.created_at < ${late}
          and not exists (select 1 from outbox o where o.subject_id = r.id)
      union all
      select 'mail ' || m.id, ${mailDelivery.type}, 'mail/' || m.id from mail m
        where m.status = 'queued' and m.queued_at < ${late}
          and not exists (select 1 from outbox o where o.subject_id = m.id)
      ) as rest`,
  );
  const statuses = await listWorkflowStatuses(audit.temporal, expected);
  audit.counts['workflows'] = statuses.size;
  return expected
    .filter(({ id }) => statuses.get(id) !== 'RUNNING')
    .map(({ subject, id }) => ({ subject, detail: `is open but its workflow is ${statuses.get(id)}` }))
    .slice(0, MAX_FINDINGS);
};

const failingWorkflows = async (audit: Audit): Promise<FindingRow[]> => {
  if (!audit.temporal) return [];
  const failing = await listFailing(audit.temporal, audit.queuePrefix ?? '');
  return failing.map(({ workflowId, attempts }) => ({
    subject: `workflow ${workflowId}`,
    detail: `cannot go on: its task failed ${attempts} times`,
  }));
};

/** A step of a process that died times out and is repeated before its workflow ends. */
const ENDING_MS = MINUTE_MS;

/** A payout that ended long ago has no running workflow: it would be waiting for something that never comes. */
const endedPayoutsWithWorkflows = async (audit: Audit): Promise<FindingRow[]> => {
  if (!audit.temporal) return [];
  const running = await listRunning(audit.temporal, payoutLifecycle.type);
  const ids = running.map((id) => id.slice(payoutLifecycle.id('').length));
  const late = lateSince(audit, audit.budgets.promptMs + ENDING_MS);
  return rows(
    audit.ctx.em,
    sql<FindingRow>`select 'payout ' || id as subject, status || ', but its workflow is still running' as detail from payout
      where id::text = any(${ids}) and status <> all(array['pending','processing']) and updated_at < ${late} limit ${MAX_FINDINGS}`,
  );
};
