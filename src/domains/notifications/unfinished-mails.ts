import type { MailKind, MailSummary } from '../../contracts/mail.ts';
import { mailDelivery } from '../../contracts/workflows/mail-delivery.ts';
import { firstRow, rows, sql, toIso } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import type { UnfinishedWorkSource } from '../../platform/outbox/unfinished-rows.ts';

export interface QueuedMail {
  id: string;
  kind: MailKind;
  merchantId: string | null;
  subjectId: string;
  queuedAt: string;
}

export const MAIL_COLUMNS = sql`id, kind, merchant_id as "merchantId", subject_id as "subjectId", queued_at as "queuedAt"`;

export const toMailSummary = ({ id, queuedAt, ...mail }: QueuedMail): MailSummary => ({
  mailId: id,
  ...mail,
  queuedAt: toIso(queuedAt),
});

/** Mails that are neither sent nor given up. */
export const UNFINISHED_MAILS: UnfinishedWorkSource = {
  name: 'mails',
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<QueuedMail>`select ${MAIL_COLUMNS} from mail
        where status = 'queued' and id > ${after ?? FIRST_ID}::uuid and updated_at < ${before.toISOString()}::timestamptz
          and not exists (select 1 from outbox o where o.topic = 'mail.send' and o.subject_id = mail.id)
        order by id limit ${limit}`,
    );
    return found.map((mail) => ({
      id: mail.id,
      workflowIds: [mailDelivery.id(mail.id)],
      message: { topic: 'mail.send', subjectId: mail.id, suffix: '', payload: toMailSummary(mail), reconciled: true },
    }));
  },
  async restart(ctx, { id, message }) {
    if (await firstRow(ctx.em, sql`select 1 from mail where id = ${id}::uuid and status = 'queued'`)) await enqueue(ctx, message);
  },
};
