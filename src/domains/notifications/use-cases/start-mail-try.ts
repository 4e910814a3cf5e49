import type { MailSnapshot } from '../../../contracts/mail.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, sql, toIso } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import type { OutgoingMail } from '../../../platform/mail/mailer.ts';
import { mailContentSchema } from '../mail-content.ts';
import { findMailSnapshot } from '../mails.queries.ts';
import { renderMail } from '../render-mail.ts';

export type MailTry =
  | { kind: 'send'; mail: OutgoingMail }
  /** The address or the text cannot be decrypted. */
  | { kind: 'unreadable' }
  | { kind: 'end'; snapshot: MailSnapshot };

interface QueuedMail {
  recipient: string;
  payload: string;
  messageId: string;
  createdAt: string;
}

/** Counts the try before anything is sent. Every try sends the same message under the same Message-ID. */
export const startMailTry = async (ctx: Context, { mailId: id }: { mailId: string }): Promise<MailTry> => {
  const queued = await firstRow(
    ctx.em,
    sql<QueuedMail>`update mail set tries = tries + 1, updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      where id = ${id}::uuid and status = 'queued' and recipient is not null and payload is not null
      returning recipient, payload, message_id as "messageId", created_at as "createdAt"`,
  );
  if (!queued) {
    const snapshot = await findMailSnapshot(ctx, id);
    if (!snapshot) throw notFound('Mail');
    return { kind: 'end', snapshot };
  }
  const mail = open(ctx, id, queued);
  return mail ? { kind: 'send', mail } : { kind: 'unreadable' };
};

/** Null when it cannot be decrypted or read. The cause is not reported: it may quote the text. */
const open = (ctx: Context, id: string, queued: QueuedMail): OutgoingMail | null => {
  try {
    const to = ctx.cipher.decrypt(queued.recipient, { table: 'mail', column: 'recipient', row: id });
    const payload = ctx.cipher.decrypt(queued.payload, { table: 'mail', column: 'payload', row: id });
    const content = renderMail(mailContentSchema.parse(JSON.parse(payload)));
    return { id, messageId: queued.messageId, to, createdAt: new Date(toIso(queued.createdAt)), ...content };
  } catch {
    return null;
  }
};
