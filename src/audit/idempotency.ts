import { rows, sql } from '../platform/database/sql.ts';
import { type Acknowledged, type Audit, type Check, type Finding, type FindingRow, findingsOf, MAX_FINDINGS } from './audit.ts';

/** I9 and I10: acknowledged objects exist, and repeated requests got the same response. */
export const checkIdempotency: Check = async (audit) => [
  ...findingsOf('I9', await lost(audit)),
  ...findingsOf('I9', await storedResponsesOnly(audit)),
  ...differentResponses(audit),
];

const lost = async ({ ctx, acknowledged, counts }: Audit): Promise<FindingRow[]> => {
  if (!acknowledged) return [];
  counts['acknowledged'] = acknowledged.length;
  return rows(
    ctx.em,
    sql<FindingRow>`select format('%s %s', kind, a.id) as subject, 'was acknowledged but does not exist' as detail
      from jsonb_to_recordset(${JSON.stringify(acknowledged satisfies readonly Acknowledged[])}::jsonb) as a (kind text, id uuid)
      where case kind when 'payout' then not exists (select 1 from payout p where p.id = a.id)
        when 'conversion' then not exists (select 1 from conversion c where c.id = a.id)
        else not exists (select 1 from program g where g.id = a.id) end
      limit ${MAX_FINDINGS}`,
  );
};

/** A response is stored in the transaction of its effect, so a stored 201 without its payout means lost work. */
const storedResponsesOnly = ({ ctx }: Audit): Promise<FindingRow[]> =>
  rows(
    ctx.em,
    sql<FindingRow>`select 'payout ' || stored.id as subject, 'has a stored response but does not exist' as detail
      from (select body::jsonb #>> '{data,id}' as id from idempotency_record
        where not encrypted and status = 201 and body::jsonb #> '{data,rail}' is not null) as stored
      where not exists (select 1 from payout p where p.id::text = stored.id) limit ${MAX_FINDINGS}`,
  );

/** Compared byte by byte: the first response is stored and replayed. */
const differentResponses = ({ repeats, counts }: Audit): Finding[] => {
  if (!repeats) return [];
  counts['keys'] = repeats.length;
  const wrong = repeats.filter(({ responses }) => new Set(responses.map(({ status, body }) => `${status} ${body}`)).size > 1);
  return findingsOf(
    'I10',
    wrong.map(({ key }) => ({ subject: `key ${key}`, detail: 'got different responses' })),
  ).slice(0, MAX_FINDINGS);
};
