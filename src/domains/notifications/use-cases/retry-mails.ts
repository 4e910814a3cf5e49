import { type Context, inTransaction } from '../../../platform/context.ts';
import { rows, sql } from '../../../platform/database/sql.ts';
import { enqueue } from '../../../platform/outbox/outbox.ts';
import { MAIL_COLUMNS, type QueuedMail, toMailSummary } from '../unfinished-mails.ts';

/** Mails of one call. */
const MAX_MAILS = 1_000;

/**
 * Queues mails that were given up again, for another 72 hours: that with the id, or the oldest 1,000. Returns their number.
 * The second call finds nothing.
 */
export const retryMails = (ctx: Context, { id = null }: { id?: string | null | undefined }): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const at = ctx.clock.now().toISOString();
    const queued = await rows(
      ctx.em,
      sql<QueuedMail>`update mail set status = 'queued', queued_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
        where id in (select id from mail where status = 'given_up' and recipient is not null
          and id = coalesce(${id}::uuid, id) order by id limit ${MAX_MAILS} for update)
        returning ${MAIL_COLUMNS}`,
    );
    for (const mail of queued) {
      // The workflow that gave up is closed: the row may start one under its id again.
      await enqueue(ctx, { topic: 'mail.send', subjectId: mail.id, suffix: '', payload: toMailSummary(mail), reconciled: true });
    }
    return queued.length;
  });
