import { rows, sql } from '../platform/database/sql.ts';
import { type Acknowledged, type Audit, type Check, type Finding, type FindingRow, findingsOf, MAX_FINDINGS } from './audit.ts';

/** I9 and I10: what callers were told still holds. */
export const checkIdempotency: Check = async (audit) => [
  ...findingsOf('I9', await lost(audit)),
  ...findingsOf('I9', await rememberedOnly(audit)),
  ...differing(audit),
];

const lost = async ({ ctx, acknowledged, counts }: Audit): Promise<FindingRow[]> => {
  if (!acknowledged) return [];
  counts['acknowledged'] = acknowledged.length;
  return rows(
    ctx.em,
    sql<FindingRow>`select format('%s %s', kind, a.id) as subject, 'was acknowledged and does not exist' as detail
      from jsonb_to_recordset(${JSON.stringify(acknowledged satisfies readonly Acknowledged[])}::jsonb) as a (kind text, id uuid)
      where case kind when 'payout' then not exists (select 1 from payout p where p.id = a.id)
        when 'conversion' then not exists (select 1 from conversion c where c.id = a.id)
        else not exists (select 1 from program g where g.id = a.id) end
      limit ${MAX_FINDINGS}`,
  );
};

/** An answer is kept in the transaction of its effect: one of a payout that is not there was given for nothing. */
const rememberedOnly = ({ ctx }: Audit): Promise<FindingRow[]> =>
  rows(
    ctx.em,
    sql<FindingRow>`select 'payout ' || told.id as subject, 'an answer is remembered, and the payout does not exist' as detail
      from (select body::jsonb #>> '{data,id}' as id from idempotency_record
        where not encrypted and status = 201 and body::jsonb #> '{data,rail}' is not null) as told
      where not exists (select 1 from payout p where p.id::text = told.id) limit ${MAX_FINDINGS}`,
  );

/** Byte for byte: the answer of the first time is kept and given again. */
const differing = ({ repeats, counts }: Audit): Finding[] => {
  if (!repeats) return [];
  counts['keys'] = repeats.length;
  const wrong = repeats.filter(({ answers }) => new Set(answers.map(({ status, body }) => `${status} ${body}`)).size > 1);
  return findingsOf(
    'I10',
    wrong.map(({ key }) => ({ subject: `key ${key}`, detail: 'was answered in different ways' })),
  ).slice(0, MAX_FINDINGS);
};
