import type { MailError, MailKind, MailSnapshot, MailStatus } from '../../contracts/mail.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql, toIso } from '../../platform/database/sql.ts';

/** Columns of `mail`. */
export const SNAPSHOT = sql`status, tries, last_error as "lastError", smtp_code as "smtpCode"`;

export const findMailSnapshot = (ctx: Context, id: string): Promise<MailSnapshot | null> =>
  firstRow(ctx.em, sql<MailSnapshot>`select ${SNAPSHOT} from mail where id = ${id}::uuid`);

/** A mail that was not sent, without its address. */
export interface UnsentMail {
  id: string;
  kind: MailKind;
  subjectId: string;
  merchantId: string | null;
  status: MailStatus;
  tries: number;
  lastError: MailError | null;
  smtpCode: number | null;
  createdAt: string;
}

/** Those that were given up, then those that wait although a try failed; the oldest first. */
export const listUnsentMails = async (ctx: Context, { limit }: { limit: number }): Promise<UnsentMail[]> => {
  const columns = sql`id, kind, subject_id as "subjectId", merchant_id as "merchantId", ${SNAPSHOT}, created_at as "createdAt"`;
  const found = await rows(
    ctx.em,
    sql<UnsentMail>`select * from (
        (select ${columns} from mail where status = 'given_up' order by id limit ${limit})
        union all (select ${columns} from mail where status = 'queued' and last_error is not null order by id limit ${limit})
      ) as unsent limit ${limit}`,
  );
  return found.map((mail) => ({ ...mail, createdAt: toIso(mail.createdAt) }));
};
