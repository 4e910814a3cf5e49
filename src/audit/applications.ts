import { rows, sql } from '../platform/database/sql.ts';
import { type Audit, type Check, type FindingRow, findingsOf, lateSince, MAX_FINDINGS } from './audit.ts';

/** I7 and I8: applications are decided by their deadline, and each agrees with its membership and its decision. */
export const checkApplications: Check = async (audit) => {
  const counted = await rows(audit.ctx.em, sql<{ total: number }>`select count(*) as total from application`);
  audit.counts['applications'] = counted[0]?.total ?? 0;
  return [...findingsOf('I7', await lateApplications(audit)), ...findingsOf('I8', await wrongApplications(audit))];
};

const lateApplications = (audit: Audit): Promise<FindingRow[]> =>
  rows(
    audit.ctx.em,
    sql<FindingRow>`select 'application ' || id as subject, 'is still pending after its deadline' as detail from application
      where status = 'pending' and due_at < ${lateSince(audit, audit.budgets.promptMs)} limit ${MAX_FINDINGS}`,
  );

const wrongApplications = (audit: Audit): Promise<FindingRow[]> =>
  rows(
    audit.ctx.em,
    sql<FindingRow>`select * from (
      select 'application ' || a.id as subject, 'is approved without a membership under its affiliate id' as detail from application a
        where a.status = 'approved' and not exists (select 1 from affiliate m
          where m.id = a.affiliate_id and m.profile_id = a.profile_id and m.program_id = a.program_id)
      union all select 'application ' || a.id, 'is ' || a.status || ' and has a membership' from application a
        where a.status <> 'approved' and exists (select 1 from affiliate m where m.id = a.affiliate_id)
      union all select 'application ' || id, 'expired before its deadline' from application
        where status = 'declined' and decided_by is null and decided_at < due_at
      union all select 'application ' || id, status || ' with a decision at ' || coalesce(decided_at::text, 'no time') from application
        where (status = 'pending') = (decided_at is not null) or decided_at < created_at
      union all select 'application ' || b.id, 'was submitted after a block' from application a
        join application b on b.profile_id = a.profile_id and b.program_id = a.program_id and (b.created_at, b.id) > (a.created_at, a.id)
        where a.status = 'blocked'
      union all select 'application ' || b.id, 'was submitted while another one waited' from application a
        join application b on b.profile_id = a.profile_id and b.program_id = a.program_id and (b.created_at, b.id) > (a.created_at, a.id)
        where a.status = 'pending'
      ) as rest limit ${MAX_FINDINGS}`,
  );
