import type { MailKind } from '../../contracts/mail.ts';
import type { Context } from '../../platform/context.ts';
import { execute, isoOf, sql } from '../../platform/database/sql.ts';
import { enqueueEach } from '../../platform/outbox/outbox.ts';
import type { MailContent } from './mail-content.ts';

export interface NewMail {
  kind: MailKind;
  /** What it is about. */
  subjectId: string;
  /** Null: no merchant is concerned. */
  merchantId: string | null;
  recipient: string;
  /** Tells apart mails of one kind about one subject. */
  period?: string;
  content: MailContent;
}

const DIGEST_PURPOSE = 'mail recipient';
/** What an erasure leaves in place of an address: no mail server accepts it. */
const ERASED = /@erased\.invalid$/;

/** Equal for equal addresses, in any case. */
export const recipientDigest = ({ cipher }: Pick<Context, 'cipher'>, address: string): string =>
  cipher.digest(address.trim().toLowerCase(), DIGEST_PURPOSE);

/** The payload of the outbox row that starts the workflow. Columns of `mail`. */
export const MAIL_START = {
  mailId: sql`id`,
  kind: sql`kind`,
  merchantId: sql`merchant_id`,
  subjectId: sql`subject_id`,
  queuedAt: isoOf(sql`queued_at`),
};

const messageIdOf = ({ settings }: Context, id: string): string => `<${id}@${new URL(settings.publicUrl).hostname}>`;

/**
 * Writes the mail and the start of its workflow in the caller's transaction: one statement. The second call for the same
 * kind, subject, recipient and period writes nothing, nor does one to a person who was erased.
 */
export const writeMail = async (ctx: Context, { period = '', content, ...mail }: NewMail): Promise<boolean> => {
  if (ERASED.test(mail.recipient)) return false;
  const id = ctx.ids.next();
  const at = ctx.clock.now().toISOString();
  const recipient = ctx.cipher.encrypt(mail.recipient, { table: 'mail', column: 'recipient', row: id });
  const payload = ctx.cipher.encrypt(JSON.stringify(content), { table: 'mail', column: 'payload', row: id });
  const written = await execute(
    ctx.em,
    sql`with written as (
        insert into mail (id, kind, subject_id, merchant_id, recipient, recipient_digest, period, payload, message_id, status,
          created_at, queued_at, updated_at)
        values (${id}::uuid, ${mail.kind}, ${mail.subjectId}::uuid, ${mail.merchantId}::uuid, ${recipient},
          ${recipientDigest(ctx, mail.recipient)}, ${period}, ${payload}, ${messageIdOf(ctx, id)},
          'queued', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz)
        on conflict (kind, subject_id, recipient_digest, period) do nothing
        returning id, kind, merchant_id, subject_id, queued_at)
      ${enqueueEach({ topic: 'mail.send', suffix: '', subjectId: sql`id`, payload: MAIL_START, from: sql`written` })}`,
  );
  return written > 0;
};
