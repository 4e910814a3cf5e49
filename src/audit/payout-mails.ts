import { rows, sql } from '../platform/database/sql.ts';
import { type Check, type FindingRow, findingsOf, MAX_FINDINGS } from './audit.ts';

/**
 * I5 of mails: affiliates are told of each completed payout, except people who were erased. A mail about several payouts names
 * the person, and is written within the hour.
 */
export const checkPayoutMails: Check = async ({ ctx }) =>
  findingsOf(
    'I5',
    await rows(
      ctx.em,
      sql<FindingRow>`select 'payout ' || p.id as subject, 'is completed, and no mail tells its affiliate' as detail
        from payout p join affiliate a on a.id = p.affiliate_id join affiliate_profile f on f.id = a.profile_id
        where p.status = 'completed' and f.erased_at is null and not exists (
          select from mail m where m.kind = 'payout_completed' and (m.subject_id = p.id
            or m.subject_id = f.id and m.created_at > p.completed_at - interval '1 hour' and m.created_at < p.completed_at + interval '1 hour'))
        limit ${MAX_FINDINGS}`,
    ),
  );
