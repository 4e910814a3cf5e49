import type { MailError, MailKind, MailStatus, MailSummary } from '../../contracts/mail.ts';
import { mailDelivery } from '../../contracts/workflows/mail-delivery.ts';
import { recordInstallationChange } from '../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { isoOf, rows, sql, toIso } from '../../platform/database/sql.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import { unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';
import { db } from '../tables.ts';

interface QueuedMail extends Omit<MailSummary, 'mailId'> {
  id: string;
}

const QUEUED = ['id', 'kind', 'merchantId', 'subjectId', 'queuedAt'] as const satisfies readonly (keyof QueuedMail)[];

const toMailSummary = ({ id, queuedAt, ...mail }: QueuedMail): MailSummary => ({
  mailId: id,
  ...mail,
  queuedAt: toIso(queuedAt),
});

/** A literal: a parameter could not use the partial indexes. */
const isStatus = (status: MailStatus) => sql.lit<MailStatus>(status);

/** Mails that are neither sent nor given up. */
export const UNFINISHED_MAILS = unfinishedRows(mailDelivery, {
  name: 'mails',
  from: sql`mail m`,
  id: sql`m.id`,
  isUnfinished: sql`m.status = 'queued'`,
  changedAt: sql`m.updated_at`,
  payload: {
    mailId: sql`m.id`,
    kind: sql`m.kind`,
    merchantId: sql`m.merchant_id`,
    subjectId: sql`m.subject_id`,
    queuedAt: isoOf(sql`m.queued_at`),
  },
});

/** Mails of one call. */
const MAX_MAILS = 1_000;

/**
 * Queues mails that were given up again, for another 72 hours: that with the id, or the oldest 1,000. Returns their number.
 * The second call finds nothing.
 */
export const retryMails = (ctx: Context, { id = null }: { id?: string | null | undefined }): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const at = ctx.clock.now().toISOString();
    const oldest = db
      .selectFrom('mail')
      .select('id')
      .where('status', '=', isStatus('given_up'))
      .where('recipient', 'is not', null)
      .orderBy('id')
      .limit(MAX_MAILS)
      .forUpdate();
    const givenUp = id === null ? oldest : oldest.where('id', '=', id);
    const queued = await rows(
      ctx.em,
      db.updateTable('mail').set({ status: 'queued', queuedAt: at, updatedAt: at }).where('id', 'in', givenUp).returning(QUEUED),
    );
    for (const mail of queued) {
      // The workflow that gave up is closed: the row may start one under its id again.
      await enqueue(ctx, { topic: 'mail.send', subjectId: mail.id, suffix: '', payload: toMailSummary(mail), reconciled: true });
    }
    const after = { retried: queued.length, mailId: id };
    if (queued.length > 0) await recordInstallationChange(ctx, { action: 'installation.mails_retried', after });
    return queued.length;
  });

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

const UNSENT = [
  'id',
  'kind',
  'subjectId',
  'merchantId',
  'status',
  'tries',
  'lastError',
  'smtpCode',
  'createdAt',
] as const satisfies readonly (keyof UnsentMail)[];

/** Those that were given up, then those that wait although a try failed; the oldest first. */
export const listUnsentMails = async (ctx: Context, { limit }: { limit: number }): Promise<UnsentMail[]> => {
  const oldest = (status: MailStatus) =>
    db.selectFrom('mail').select(UNSENT).where('status', '=', isStatus(status)).orderBy('id').limit(limit);
  // Those of people who unsubscribed or were erased have none.
  const givenUp = oldest('given_up').where('recipient', 'is not', null);
  const waiting = oldest('queued').where('lastError', 'is not', null);
  const found = await rows(
    ctx.em,
    db
      .selectFrom(givenUp.as('given_up'))
      .select(UNSENT)
      .unionAll(db.selectFrom(waiting.as('waiting')).select(UNSENT))
      .limit(limit),
  );
  return found.map((mail) => ({ ...mail, createdAt: toIso(mail.createdAt) }));
};
