import { rows, sql } from '../platform/database/sql.ts';
import { type Audit, type Check, type FindingRow, findingsOf, lateSince, MAX_FINDINGS } from './audit.ts';

/** I7 and I8 of flags: deadlines are kept, holds end, and what a flag holds is neither approved nor sent. */
export const checkFlags: Check = async (audit) => [
  ...findingsOf('I7', await lateFlags(audit)),
  ...findingsOf('I8', await wrongFlags(audit)),
  ...findingsOf('I8', await brokenHolds(audit)),
];

/** Whether a conversion `c` has a commission that a confirmed flag rejects. */
const RETAINED = sql`c.included_in is null and c.status in ('pending','approved','partially_refunded')`;

const lateFlags = (audit: Audit): Promise<FindingRow[]> => {
  const late = sql`${lateSince(audit, audit.budgets.promptMs)}::timestamptz`;
  return rows(
    audit.ctx.em,
    sql<FindingRow>`select * from (
      select 'flag ' || id as subject, 'is past its deadline, and nothing was done' as detail from flag
        where status = 'open' and deadline_action is null and due_at < ${late}
      union all select 'flag ' || f.id, 'is confirmed, but its commissions are not rejected' from flag f
        where f.status = 'confirmed' and f.hold_ended_at is null and f.updated_at < ${late} and exists (
          select 1 from flag_conversion l join conversion c on c.id = l.conversion_id where l.flag_id = f.id and ${RETAINED})
      union all select 'payout ' || p.id, 'is pending although a flag holds one of its commissions' from payout p
        join conversion c on c.included_in = p.id join flag_conversion l on l.conversion_id = c.id join flag f on f.id = l.flag_id
        where p.status = 'pending' and f.hold_ended_at is null and greatest(f.newest_evidence_at, p.created_at) < ${late}
      ) as late limit ${MAX_FINDINGS}`,
  );
};

/** Impossible states, as far as check constraints do not rule them out. */
const wrongFlags = ({ ctx }: Audit): Promise<FindingRow[]> =>
  rows(
    ctx.em,
    sql<FindingRow>`select 'flag ' || id as subject, detail from (
      select id, format('%s by a person with the deadline action %s', status, deadline_action) as detail from flag
        where resolved_by is not null and deadline_action in ('confirm','dismiss')
      union all select id, format('%s by nobody, with the deadline action %s', status, coalesce(deadline_action, 'none')) from flag
        where status <> 'open' and resolved_by is null
          and deadline_action is distinct from case status when 'confirmed' then 'confirm' when 'dismissed' then 'dismiss' end
      union all select id, 'open although its deadline action resolves it' from flag
        where status = 'open' and deadline_action in ('confirm','dismiss')
      union all select id, 'resolved before it was created' from flag where resolved_at < created_at
      union all select f.id, format('%s linked conversions instead of %s', count(l.conversion_id), f.conversion_count) from flag f
        left join flag_conversion l on l.flag_id = f.id group by f.id having count(l.conversion_id) <> f.conversion_count
      union all select f.id, 'confirmed without a hold, but a commission is not rejected' from flag f
        where f.status = 'confirmed' and f.hold_ended_at is not null and exists (
          select 1 from flag_conversion l join conversion c on c.id = l.conversion_id where l.flag_id = f.id and ${RETAINED})
      ) as wrong limit ${MAX_FINDINGS}`,
  );

/** Clocks of processes differ. */
const TOLERANCE = sql`interval '5 seconds'`;

/** Whether something at a time was done while a flag `f` held what is linked to it: by then, all evidence had come. */
const during = (at: string) => sql`${sql.ref(at)} > f.newest_evidence_at + ${TOLERANCE}
  and (f.hold_ended_at is null or ${sql.ref(at)} < f.hold_ended_at - ${TOLERANCE})`;

const brokenHolds = ({ ctx }: Audit): Promise<FindingRow[]> =>
  rows(
    ctx.em,
    sql<FindingRow>`select * from (
      select 'conversion ' || c.id as subject, 'was approved while flag ' || f.id || ' held it' as detail
        from flag f join flag_conversion l on l.flag_id = f.id join conversion c on c.id = l.conversion_id
        where ${during('c.approved_at')}
      union all select 'payout ' || t.payout_id, 'got its first attempt while flag ' || f.id || ' held a commission of it'
        from flag f join flag_conversion l on l.flag_id = f.id
        join payout_item i on i.kind = 'commission' and i.subject_id = l.conversion_id
        join payout_attempt t on t.payout_id = i.payout_id and t.n = 1
        where ${during('t.created_at')}
      ) as broken limit ${MAX_FINDINGS}`,
  );
