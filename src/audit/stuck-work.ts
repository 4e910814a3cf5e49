import { APPROVAL_TIMING } from '../contracts/approvals.ts';
import { MAIL_TIMING } from '../contracts/mail.ts';
import { railsThatBeginWith } from '../contracts/rails.ts';
import { HELD_CONVERSION } from '../domains/conversions/index.ts';
import { rows, sql } from '../platform/database/sql.ts';
import { type Audit, type Check, type FindingRow, findingsOf, lateSince, MAX_FINDINGS } from './audit.ts';

const CALLED_RAILS = railsThatBeginWith('call');

/** I7: everything makes progress or is flagged with needsAttention. */
export const checkStuckWork: Check = async (audit) => [
  ...findingsOf('I7', await lateRows(audit)),
  ...findingsOf('I7', await latePayouts(audit)),
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

/** A backlog may wait while its endpoint is paused by its circuit breaker, or while attempts of the endpoint are recorded. */
const laterThanItsEndpoint = (late: string) => sql`
  select 'delivery ' || d.id, 'waits in lane ' || d.slot % l.lanes from webhook_delivery d join webhook_endpoint w on w.id = d.endpoint_id
    join webhook_lane l on l.lane = 0
  where d.status = 'pending' and d.in_lane and d.next_attempt_at < ${late} and w.breaker_until is null
    and not exists (select 1 from webhook_delivery other where other.endpoint_id = d.endpoint_id and other.attempts > 0
      and other.updated_at >= ${late})`;

/** Waits until the contradictions of its affiliate are resolved: a payout `p` may go on from then. */
const contradictedSince = (time: string) => sql`exists (
  select from payout_contradiction k join payout o on o.id = k.payout_id
  where o.affiliate_id = p.affiliate_id and (k.resolved_at is null or k.resolved_at >= ${time}))`;

/** A payout `p` that nothing is sent of before a second actor approved it. */
const AWAITS_APPROVAL = sql`(p.approval_required_at is not null and p.approved_at is null)`;

/** Whether the run of a payout `p` is paused, or was resumed since: it goes on from then. */
const pausedSince = (time: string) => sql`exists (
  select from payout_run r where r.id = p.payout_run_id and (r.status = 'paused' or r.updated_at >= ${time}))`;

/** Payouts that no worker sends may wait for any time, also for their approval until that expires. */
const latePayouts = (audit: Audit): Promise<FindingRow[]> => {
  const { ctx, budgets } = audit;
  const late = lateSince(audit, budgets.promptMs);
  const expired = lateSince(audit, budgets.promptMs + ctx.settings.scaled(APPROVAL_TIMING.expireAfterMs));
  return rows(
    ctx.em,
    sql<FindingRow>`select * from (
      select 'payout ' || p.id as subject, p.status || ' for too long' as detail from payout p
        where p.rail = any(${CALLED_RAILS}) and not p.needs_attention and (
          (p.status = 'pending' and coalesce(p.approved_at, p.created_at) < ${late} and not ${AWAITS_APPROVAL}
            and not ${contradictedSince(late)} and not ${pausedSince(late)})
          or (p.status = 'processing' and p.processing_at < ${lateSince(audit, budgets.payoutMs)}))
      union all select 'payout ' || p.id, 'waits for an approval that has expired' from payout p
        where p.status = 'pending' and ${AWAITS_APPROVAL} and p.approval_required_at < ${expired}
      union all select 'payout ' || payout_id, 'its attempt was reserved but not sent' from payout_attempt
        where outcome = 'created' and rail = any(${CALLED_RAILS}) and created_at < ${late}
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
